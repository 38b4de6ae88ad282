package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	frontMatter   = regexp.MustCompile(`(?s)^---\nname: ([a-z-]+)\ndescription: ([^\n]+)\n---\n`)
	calledCommand = regexp.MustCompile("(?m)(?:^    |`|\\| )afar ([a-z]+(?: [a-z]+)?)")
)

// TestSkills: each skill is short, says when to use it, and names only existing commands
// of Afar.
func TestSkills(t *testing.T) {
	files, err := filepath.Glob("../../skills/*/SKILL.md")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d skills, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			if n := strings.Count(text, "\n"); n > 60 {
				t.Errorf("%d lines", n)
			}
			front := frontMatter.FindStringSubmatch(text)
			if front == nil || front[1] != name || len(front[2]) > 1024 || !strings.Contains(front[2], "Use ") {
				t.Fatalf("the head does not say what it is, or when to use it: %q", front)
			}
			for _, called := range calledCommand.FindAllStringSubmatch(text, -1) {
				knownCommand(t, called[1])
			}
		})
	}
}

// knownCommand checks one or two words after `afar`. The second word is a command only if
// the first one is a group.
func knownCommand(t *testing.T, words string) {
	t.Helper()
	args := strings.Fields(words)
	c, rest, err := newRoot(&app{}).Find(args)
	if err != nil || c.Parent() == nil || len(rest) > 0 && c.HasSubCommands() {
		t.Errorf("afar %s is no command: %v", words, err)
	}
}
