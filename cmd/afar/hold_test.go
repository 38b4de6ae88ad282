package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ours = `"afar@afar"`

// TestHoldEdits: hold makes Afar's plugin the first and keeps all other bytes. Releasing
// it restores the text.
func TestHoldEdits(t *testing.T) {
	for _, c := range []struct{ name, before, on, off string }{
		{"no file", "", "{\n  \"prependPlugins\": [" + ours + "]\n}\n", "{}\n"},
		{"empty", `{}`, "{\n  \"prependPlugins\": [" + ours + "]\n}", `{}`},
		{"keys", "{\n  \"model\": \"opus\",\n  \"a\": [1,2]\n}\n",
			"{\n  \"prependPlugins\": [" + ours + "],\n  \"model\": \"opus\",\n  \"a\": [1,2]\n}\n",
			"{\n  \"model\": \"opus\",\n  \"a\": [1,2]\n}\n"},
		{"one line", `{"a":1}`, `{"prependPlugins": [` + ours + `],"a":1}`, `{"a":1}`},
		{"tabs and CRLF", "{\r\n\t\"a\": 1\r\n}", "{\r\n\t\"prependPlugins\": [" + ours + "],\r\n\t\"a\": 1\r\n}",
			"{\r\n\t\"a\": 1\r\n}"},
		{"others first", `{"prependPlugins": ["x@y"], "a": 1}`, `{"prependPlugins": ["afar@afar", "x@y"], "a": 1}`,
			`{"prependPlugins": ["x@y"], "a": 1}`},
		{"not the first", `{"a": 1, "prependPlugins": ["x@y", "afar@afar"]}`,
			`{"a": 1, "prependPlugins": ["afar@afar", "x@y"]}`, `{"a": 1, "prependPlugins": ["x@y"]}`},
		{"last key", `{"a": 1, "prependPlugins": []}`, `{"a": 1, "prependPlugins": ["afar@afar"]}`, `{"a": 1}`},
		{"quotes in a key", `{"a\"b\\": 1, "prependPlugins": [], "c": 2}`,
			`{"a\"b\\": 1, "prependPlugins": ["afar@afar"], "c": 2}`, `{"a\"b\\": 1, "c": 2}`},
		{"below another key", `{"a": {"prependPlugins": ["z"]}}`, `{"prependPlugins": [` + ours +
			`],"a": {"prependPlugins": ["z"]}}`, `{"a": {"prependPlugins": ["z"]}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			path := filepath.Join(s.env["HOME"], ".claude", "settings.json")
			if c.before != "" {
				put(t, path, c.before, 0o640)
			}
			for range 2 { // the second time changes nothing
				if code := s.run("hold", "on"); code != 0 {
					t.Fatalf("exit %d: %s", code, &s.stderr)
				}
				same(t, path, c.on)
			}
			if info, err := os.Stat(path); err != nil || c.before != "" && info.Mode().Perm() != 0o640 {
				t.Errorf("the mode is %v, %v", info.Mode(), err)
			}
			for range 2 {
				if code := s.run("hold", "off"); code != 0 {
					t.Fatalf("exit %d: %s", code, &s.stderr)
				}
				same(t, path, c.off)
			}
		})
	}
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, text, mode)
}

func same(t *testing.T, path, want string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != want {
		t.Fatalf("have %q, want %q, %v", raw, want, err)
	}
}

// TestHoldLeaves: hold does not write a file that it cannot read completely.
func TestHoldLeaves(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":     `{"a": 1,`,
		"comments":     "{ // mine\n\"a\": 1 }",
		"no object":    `[]`,
		"a wrong type": `{"prependPlugins": "x@y"}`,
		"twice":        `{"prependPlugins": [], "prependPlugins": ["x@y"]}`,
		"large":        `{"a":"` + strings.Repeat("x", 2<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			path := filepath.Join(s.env["HOME"], ".claude", "settings.json")
			put(t, path, text, 0o600)
			if code := s.run("hold", "on"); code != exitFailed ||
				!strings.Contains(s.stderr.String(), "left as it is") {
				t.Errorf("exit %d: %s", code, &s.stderr)
			}
			same(t, path, text)
		})
	}
}

// TestHoldThroughALink: if the settings file is a link, hold edits its target and keeps
// the link.
func TestHoldThroughALink(t *testing.T) {
	s := newShell(t)
	real := filepath.Join(s.env["HOME"], "dotfiles", "settings.json")
	link := filepath.Join(s.env["HOME"], ".claude", "settings.json")
	put(t, real, `{}`, 0o600)
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if code := s.run("hold", "on"); code != 0 {
		t.Fatalf("exit %d: %s", code, &s.stderr)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	same(t, real, "{\n  \"prependPlugins\": ["+ours+"]\n}")
}

// TestHoldIsThePersons: a session can neither hold the plugin nor release it.
func TestHoldIsThePersons(t *testing.T) {
	s := newShell(t)
	s.env["CLAUDECODE"] = "1"
	for _, verb := range []string{"on", "off"} {
		if code := s.run("hold", verb); code != exitFailed {
			t.Errorf("hold %s: exit %d", verb, code)
		}
	}
}
