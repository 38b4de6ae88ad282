package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

func openAsks() wire.AsksReply {
	return wire.AsksReply{Asks: []wire.Ask{
		{ID: "ask_aabbccdd01", Token: "api-1a2b", Tool: "Bash", Input: "npm test", State: "open"},
		{ID: "ask_aabbccdd02", Token: "web-3c4d", Tool: "Bash", Input: "make", State: "open"},
	}}
}

// TestExitCodes checks the exit code of every kind of error, and the advice on stderr.
func TestExitCodes(t *testing.T) {
	tests := []struct {
		name string
		args string
		with func(*standIn) // nil: nobody serves, and there is nothing to start
		want int
		says string // in stderr
	}{
		{"help", "--help", nil, 0, ""},
		{"version as a flag", "--version", nil, 0, ""},
		{"alone is status", "", nil, 3, "coordinator not reachable"},
		{"help of a group", "loop --help", nil, 0, ""},
		{"unknown command", "statsu", nil, 2, "did you mean status?"},
		{"unknown subcommand", "telegram bogus", nil, 2, `unknown command "bogus" for "afar telegram"`},
		{"group alone", "telegram", nil, 2, "needs a command: connect, pair"},
		{"unknown flag", "status --bogus", nil, 2, "unknown flag: --bogus"},
		{"argument too many", "status x", nil, 2, `from "x" on`},
		{"token on the command line", "telegram connect 1:x", nil, 2, "too many arguments"},
		{"argument missing", "allow", nil, 2, "needs the id of a question"},
		{"away mode", "away maybe", nil, 2, "on, off, auto or default"},
		{"away for nothing", "away on --for 0s", nil, 2, "--for needs a time"},
		{"away for nonsense", "away on --for soon", nil, 2, "invalid argument"},
		{"log of too many", "log -n 5001", nil, 2, "0 to 5000"},
		{"call without operation", "call", nil, 2, "needs an operation"},
		{"call with too much", "call status {} {}", nil, 2, "at most one JSON object"},
		{"call with bad JSON", "call status {", nil, 2, "not valid JSON"},
		{"loop without a session", "loop start", nil, 2, "a session"},

		{"nobody to reach", "status", nil, 3, "coordinator not reachable"},
		{"nobody to call", "call status", nil, 3, "coordinator not reachable"},
		{"nothing to stop", "stop", nil, 0, ""},
		{"version needs nobody", "version", nil, 0, ""},
		{"config needs nobody", "config", nil, 0, ""},
		{"rules need nobody", "guard rules", nil, 0, ""},

		{"found nothing", "loop show x", func(c *standIn) { c.refuses(wire.OpLoop, wire.CodeNotFound, "x: not found") },
			4, "x: not found"},
		{"too late", "deny aabbccdd01", func(c *standIn) {
			c.says(wire.OpAsks, openAsks()).refuses(wire.OpAnswer, wire.CodeSettled, "allowed by Ana at 11:59:00")
		}, 4, "allowed by Ana"},
		{"unknown ask", "deny zzz", func(c *standIn) {
			c.says(wire.OpAsks, openAsks()).refuses(wire.OpAnswer, wire.CodeNotFound, `ask "zzz": not found`)
		}, 4, "not found"},
		{"refused", "pause", func(c *standIn) { c.refuses(wire.OpPause, wire.CodeDenied, "a session may not decide") },
			1, "may not decide"},
		{"older coordinator", "pause", func(*standIn) {}, 1, "afar restart"},
		{"its own fault", "pause", func(c *standIn) { c.refuses(wire.OpPause, wire.CodeInternal, "disk full") }, 1,
			"disk full"},
		{"raw refusal", "call loop {}", func(c *standIn) { c.refuses(wire.OpLoop, wire.CodeNotFound, "no") }, 4, "no"},
		{"broken journal", "audit verify", func(c *standIn) {
			c.says(wire.OpVerify,
				wire.VerifyReply{Entries: 9, Broken: 4})
		}, 1, "entry 4"},
		{"done", "pause", func(c *standIn) { c.says(wire.OpPause, wire.Settings{Paused: true}) }, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			if tt.with != nil {
				tt.with(s.serve())
			}
			code := s.run(strings.Fields(tt.args)...)
			if code != tt.want || !strings.Contains(s.stderr.String(), tt.says) {
				t.Errorf("afar %s: exit %d, want %d; stderr lacks %q:\n%s", tt.args, code, tt.want, tt.says, &s.stderr)
			}
			if (code == 0) != (s.stderr.Len() == 0) {
				t.Errorf("afar %s: exit %d with stderr %q", tt.args, code, &s.stderr)
			}
		})
	}
}

func TestForeignListener(t *testing.T) {
	s := newShell(t)
	s.serve().on(wire.OpStatus, func(json.RawMessage) wire.Reply { return wire.Reply{} })
	if code := s.run("status"); code != exitUnreachable || !strings.Contains(s.stderr.String(), "our protocol") {
		t.Errorf("exit %d: %s", code, &s.stderr)
	}
}

// TestClosingIsCalledAgain: a coordinator that is closing has done nothing, so the call is
// made again.
func TestClosingIsCalledAgain(t *testing.T) {
	s, calls := newShell(t), 0
	s.serve().on(wire.OpPause, func(json.RawMessage) wire.Reply {
		if calls++; calls < 3 {
			return wire.Reply{V: 1, Code: wire.CodeClosing}
		}
		return wire.Reply{V: 1, Body: wire.Raw(`{}`)}
	})
	if code := s.run("pause"); code != 0 || calls != 3 {
		t.Errorf("exit %d after %d calls: %s", code, calls, &s.stderr)
	}
}

func TestInterrupted(t *testing.T) {
	s := newShell(t)
	asked, release := make(chan struct{}), make(chan struct{})
	s.serve().on(wire.OpStatus, func(json.RawMessage) wire.Reply {
		close(asked)
		<-release
		return wire.Reply{V: 1, Body: wire.Raw(`{}`)}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	code := s.runIn(ctx, "status")
	close(release)
	if code != exitInterrupted || s.stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, &s.stderr)
	}
}

// TestInsideASession: inside a session the command line does not try to decide anything.
// A coordinator that it starts there gets none of the session's variables.
func TestInsideASession(t *testing.T) {
	s := newShell(t)
	s.env["CLAUDECODE"], s.env["AFAR_TELEGRAM_TOKEN"] = "1", "1:secret"
	for _, verb := range []string{"serve", "restart", "uninstall"} {
		if code := s.run(verb); code != exitFailed || !strings.Contains(s.stderr.String(), "decision of the person") {
			t.Errorf("afar %s: exit %d: %s", verb, code, &s.stderr)
		}
	}
	a := &app{getenv: s.getenv}
	if env := strings.Join(a.coordinatorEnv(s.dirs()), "\n"); strings.Contains(env, "secret") {
		t.Errorf("environment of the coordinator: %s", env)
	}
	delete(s.env, "CLAUDECODE")
	if env := strings.Join(a.coordinatorEnv(s.dirs()), "\n"); !strings.Contains(env, "AFAR_TELEGRAM_TOKEN=1:secret") {
		t.Errorf("environment of the coordinator: %s", env)
	}
}
