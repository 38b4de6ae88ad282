package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cases in testdata/cases are one to a line: deny, ask or pass, a blank, the
// command. ⏎ is a line break. In a .tools file a tool's name and its arguments
// stand there, divided by "|".

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(files) < 9 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { caseFile(t, file) })
	}
}

func caseFile(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(raw), "\n") {
		word, text, _ := strings.Cut(line, " ")
		if word == "" || word == "#" {
			continue
		}
		want, known := map[string]Verdict{"deny": Deny, "ask": Ask, "pass": None}[word]
		if !known {
			t.Fatalf("%s:%d: no verdict %q", file, i+1, word)
		}
		text = strings.ReplaceAll(text, "⏎", "\n")
		call := bash(text)
		if filepath.Ext(file) == ".tools" {
			call = toolCase(text)
		}
		if d := Judge(call, testContext()); d.Verdict != want {
			t.Errorf("%s:%d: %q: %q by %s, want %s\n\t%+v", file, i+1, text, d.Verdict, d.Rule, word, d.Effects)
		}
	}
}

// toolCase reads "Tool|name=value|name=value".
func toolCase(text string) Call {
	parts := strings.Split(text, "|")
	c := Call{Tool: parts[0]}
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		c.Args = append(c.Args, Arg{name, value})
	}
	return c
}
