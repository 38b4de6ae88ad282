package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/wire"
)

func TestAnswer(t *testing.T) {
	tests := []struct{ args, want, says string }{
		{"allow ask_aabbccdd01", `{"id":"ask_aabbccdd01","allow":true}`, "Allowed for api-1a2b: Bash npm test\n"},
		{"allow aabbccdd02", `{"id":"aabbccdd02","allow":true}`, "Allowed"},
		{"deny ask_aabbccdd02 -m no", `{"id":"ask_aabbccdd02","allow":false,"message":"no"}`, "Denied"},
		{"deny ask_other", `{"id":"ask_other","allow":false}`, "Denied"},
	}
	for _, tt := range tests {
		s := newShell(t)
		c := s.serve().says(wire.OpAsks, openAsks()).says(wire.OpAnswer, openAsks().Asks[0])
		if code := s.run(strings.Fields(tt.args)...); code != 0 {
			t.Errorf("afar %s: exit %d: %s", tt.args, code, &s.stderr)
		}
		if got := c.body(wire.OpAnswer); got != tt.want || !strings.HasPrefix(s.stdout.String(), tt.says) {
			t.Errorf("afar %s: sent %s, want %s; said %q", tt.args, got, tt.want, &s.stdout)
		}
	}
}

func TestLoopStart(t *testing.T) {
	tests := []struct {
		args []string
		want wire.LoopStartRequest
	}{
		{[]string{"api-1a2b", "fix it"}, wire.LoopStartRequest{Session: "api-1a2b", Args: "fix it"}},
		{[]string{"api-1a2b", "fix", "it", "--max", "3"},
			wire.LoopStartRequest{Session: "api-1a2b", Args: "--max '3' fix it"}},
		{[]string{"--session", "api-1a2b", "don't"}, wire.LoopStartRequest{Session: "api-1a2b", Args: "don't"}},
		{[]string{"s", "--check", "it's ok", "--for=3h", "x"},
			wire.LoopStartRequest{Session: "s", Args: `--check 'it'\''s ok' --for '3h' x`}},
		{[]string{"s", "--", "-v is wrong"}, wire.LoopStartRequest{Session: "s", Args: "-- -v is wrong"}},
	}
	for _, tt := range tests {
		s := newShell(t)
		c := s.serve().says(wire.OpLoopStart, wire.Loop{ID: "api-1a2b", Active: true})
		if code := s.run(append([]string{"loop", "start"}, tt.args...)...); code != 0 {
			t.Errorf("%q: exit %d: %s", tt.args, code, &s.stderr)
		}
		var got wire.LoopStartRequest
		mustDecode(t, c.body(wire.OpLoopStart), &got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: %s", tt.args, diff)
		}
	}
}

func TestAway(t *testing.T) {
	s := newShell(t)
	c := s.serve().says(wire.OpAway, wire.Settings{})
	if code := s.run("away", "on", "--for", "2h", "--session", "api-1a2b"); code != 0 {
		t.Fatalf("exit %d: %s", code, &s.stderr)
	}
	if got, want := c.body(wire.OpAway), `{"mode":"on","session":"api-1a2b","for_ms":7200000}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if got, want := s.stdout.String(), "Away is on for api-1a2b until 14:00:00.\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}
