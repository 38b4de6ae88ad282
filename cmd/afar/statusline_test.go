package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestStatuslineEdits: the person's own status line is kept and comes back.
func TestStatuslineEdits(t *testing.T) {
	for _, c := range []struct{ name, before, on, off string }{
		{"no file", "", "{\n  \"statusLine\": {\"command\":\"AFAR\",\"type\":\"command\"}\n}\n", "{}\n"},
		{"other keys", `{"model": "opus"}`, `{"statusLine": {"command":"AFAR","type":"command"},"model": "opus"}`, `{"model": "opus"}`},
		{"one that is there", `{"statusLine": {"type": "command", "command": "echo 'it' \"$HOME\" && a", "padding": 0}, "a": 1}`,
			`{"statusLine": {"command":"AFAR --before 'echo '\\''it'\\'' \"$HOME\" && a'","padding":0,"type":"command"}, "a": 1}`,
			`{"statusLine": {"command":"echo 'it' \"$HOME\" && a","padding":0,"type":"command"}, "a": 1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			path := filepath.Join(s.env["HOME"], ".claude", "settings.json")
			if c.before != "" {
				put(t, path, c.before, 0o640)
			}
			command := "'" + filepath.Join(s.bin, "afar") + "' statusline"
			for range 2 { // the second time changes nothing
				if code := s.run("statusline", "on"); code != 0 {
					t.Fatalf("exit %d: %s", code, &s.stderr)
				}
				same(t, path, strings.ReplaceAll(c.on, "AFAR", command))
			}
			for range 2 {
				if code := s.run("statusline", "off"); code != 0 {
					t.Fatalf("exit %d: %s", code, &s.stderr)
				}
				same(t, path, c.off)
			}
		})
	}
}

// TestStatuslineLeaves: a status line that cannot be understood is left as it is.
func TestStatuslineLeaves(t *testing.T) {
	for _, text := range []string{`{"statusLine": 1}`, `{"statusLine": {"type": "static"}}`, `{"statusLine": {}, "statusLine": {}}`} {
		s := newShell(t)
		path := filepath.Join(s.env["HOME"], ".claude", "settings.json")
		put(t, path, text, 0o600)
		if code := s.run("statusline", "on"); code != exitFailed || !strings.Contains(s.stderr.String(), "left as it is") {
			t.Errorf("%s: exit %d: %s", text, code, &s.stderr)
		}
		same(t, path, text)
	}
}

func TestSegment(t *testing.T) {
	loops := []wire.Loop{
		{Session: "s", Active: true, Stack: []wire.Frame{{N: 1, Max: 2}, {N: 3, Max: 10}}},
		{Session: "other", Active: true, Stack: []wire.Frame{{N: 5, Max: 6}}},
	}
	for want, now := range map[string]wire.StatusReply{
		"afar": {},
		"afar · away · 2 questions · loop 3/10": {Settings: wire.Settings{Away: "on"}, Asks: make([]wire.Ask, 2), Loops: loops},
		"afar · paused · 1 question":            {Settings: wire.Settings{Away: "on", Paused: true}, Asks: make([]wire.Ask, 1)},
	} {
		if have := segmentOf(now, "s"); have != want {
			t.Errorf("have %q, want %q", have, want)
		}
	}
}
