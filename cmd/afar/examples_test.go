package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// exampleWord is one word of an example: in single quotes, or without spaces.
var exampleWord = regexp.MustCompile(`'[^']*'|\S+`)

// TestExamples: each command that a person can run has an example, and each example is one that the
// command's own flags and arguments accept.
func TestExamples(t *testing.T) {
	root := newRoot(&app{})
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
		path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), "afar"))
		isOurs := c.Name() != "help" && !strings.HasPrefix(path, "completion")
		if !isOurs || c.HasSubCommands() && c != root {
			return
		}
		if c.Example == "" {
			t.Errorf("afar %s has no example", path)
		}
		for line := range strings.Lines(c.Example) {
			checkExample(t, root, c, line)
		}
	}
	walk(root)
}

func checkExample(t *testing.T, root, c *cobra.Command, line string) {
	t.Helper()
	_, typed, ok := strings.Cut(line, "afar")
	words := exampleWord.FindAllString(typed, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	found, rest, err := root.Find(words)
	if !ok || err != nil || found != c {
		t.Errorf("%q is an example of %s and runs %v (%v)", line, c.CommandPath(), found.CommandPath(), err)
		return
	}
	if err := c.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	if err := c.ValidateArgs(c.Flags().Args()); err != nil {
		t.Errorf("%q: %v", line, err)
	}
}

// TestPlaceholders: the value of a flag that several commands have is called the same everywhere.
func TestPlaceholders(t *testing.T) {
	names := map[string]string{
		"agent": "program", "budget": "dollars", "check-timeout": "duration", "dir": "directory", "message": "text",
		"session": "token",
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		usage := c.LocalFlags().FlagUsages()
		for _, kind := range []string{" string ", " int ", " float "} { // of Go, and not of a reader
			if strings.Contains(usage, kind) {
				t.Errorf("%s: a value is called%s:\n%s", c.CommandPath(), kind, usage)
			}
		}
		for flag, name := range names {
			f := c.LocalFlags().Lookup(flag)
			if f != nil && f.Value.Type() != "bool" && !strings.Contains(usage, "--"+flag+" "+name+" ") {
				t.Errorf("%s: the value of --%s is not called %s:\n%s", c.CommandPath(), flag, name, usage)
			}
		}
	}
	walk(newRoot(&app{}))
}
