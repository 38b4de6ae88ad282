package claude_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
)

func TestBefore(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"2.1.197", "2.1.329", true},
		{"2.1.328", "2.1.329", true},
		{"1.9.999", "2.1.329", true},
		{"2.1.329", "2.1.329", false},
		{"2.2.0", "2.1.329", false},
		{"10.0.0", "2.1.329", false},
		{"", "2.1.329", false},
		{"2.1.197", "", false},
		{"2.1", "2.1.329", false},
		{"2.1.x", "2.1.329", false},
		{"2.1.-1", "2.1.329", false},
		{"2.1.197.1", "2.1.329", false},
		{"2.1.99999999999999999999", "2.1.329", false},
	} {
		if claude.Before(c.a, c.b) != c.want {
			t.Errorf("Before(%q, %q) is %v", c.a, c.b, !c.want)
		}
	}
}

func TestStops(t *testing.T) {
	for version, want := range map[string]bool{
		"2.1.197": false, "2.1.294": false, "2.1.295": true, "2.1.330": true, "3.0.0": true,
		"": false, "latest": false, "2.1.330-beta": false, "99": false,
	} {
		if claude.Stops(version) != want {
			t.Errorf("Stops(%q) is %v", version, !want)
		}
	}
}

// TestVersion asks programs that answer well, badly, late or never.
func TestVersion(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"client":       {"echo '2.1.330 (Claude Code)'", "2.1.330"},
		"another":      {"echo '2.1.330 (Some Tool)'", ""},
		"bare number":  {"echo 2.1.330", ""},
		"no number":    {"echo 'bash (Claude Code)'", ""},
		"fails":        {"echo '2.1.330 (Claude Code)'; exit 3", ""},
		"says nothing": {"exit 0", ""},
		"hangs":        {"exec sleep 60", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "claude")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			wait := time.Minute
			if name == "hangs" {
				wait = 100 * time.Millisecond
			}
			if got := claude.Version(program, []string{"PATH=/usr/bin:/bin"}, wait); got != c.want {
				t.Errorf("the version is %q, want %q", got, c.want)
			}
		})
	}
	if got := claude.Version("/none/claude", nil, time.Second); got != "" {
		t.Errorf("a missing program says %q", got)
	}
}
