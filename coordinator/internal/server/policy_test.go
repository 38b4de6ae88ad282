//go:build unix

package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestPolicyTrust checks that only a person at a terminal can accept a policy, and only the
// content that they saw.
func TestPolicyTrust(t *testing.T) {
	r := newRig(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	r.ok(err)
	path := filepath.Join(dir, "guard.toml")
	r.ok(os.WriteFile(path, []byte("[rules]\npublish = 'off'\n"), 0o600))
	f, err := policy.Project(path)
	r.ok(err)
	sum := sha256.Sum256(f.Text)
	hash := hex.EncodeToString(sum[:])
	trust := wire.PolicyTrustRequest{Path: path, Hash: hash}
	state := func() policy.State { return policy.Files(r.dirs, dir, dir)[0].State }

	want[any](t, r.as(person, wire.OpPolicyTrust, trust), wire.CodeDenied)
	inSession := atTerminal
	inSession.env = []string{"CLAUDECODE=1"}
	want[any](t, r.as(inSession, wire.OpPolicyTrust, trust), wire.CodeDenied)
	other := trust
	other.Hash = strings.Repeat("0", 64)
	want[any](t, r.as(atTerminal, wire.OpPolicyTrust, other), wire.CodeBadRequest)
	want[any](t, r.as(atTerminal, wire.OpPolicyTrust, wire.PolicyTrustRequest{Path: "guard.toml", Hash: hash}),
		wire.CodeBadRequest)
	want[any](t, r.as(person, wire.OpPolicyTrust, wire.PolicyTrustRequest{Path: path, Forget: true}), wire.CodeNotFound)
	if state() != policy.Untrusted {
		t.Fatalf("it is %s", state())
	}

	got := want[wire.PolicyTrustReply](t, r.as(atTerminal, wire.OpPolicyTrust, trust), wire.CodeOK)
	if !got.Trusted || strings.Join(got.Off, " ") != "publish" || state() != policy.InForce {
		t.Errorf("%+v, %s", got, state())
	}
	info, err := os.Stat(r.dirs.TrustFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	inSession.terminal = false
	want[any](t, r.as(inSession, wire.OpPolicyTrust, wire.PolicyTrustRequest{Path: path, Forget: true}),
		wire.CodeDenied)
	want[wire.PolicyTrustReply](t, r.as(person, wire.OpPolicyTrust, wire.PolicyTrustRequest{Path: path, Forget: true}),
		wire.CodeOK)
	if state() != policy.Untrusted {
		t.Errorf("forgotten, it is %s", state())
	}
	kinds := strings.Join(r.kinds(), " ")
	for _, kind := range []event.Kind{event.Refused, event.PolicyTrusted, event.PolicyForgotten} {
		if !strings.Contains(kinds, string(kind)) {
			t.Errorf("no %s in %s", kind, kinds)
		}
	}
}

// TestDenyLoop checks that the third denial of one rule in a turn tells the model to stop, and
// that the journal says so once.
func TestDenyLoop(t *testing.T) {
	r := newRig(t)
	deny := func(prompt, rule string) string {
		reply := r.hook(wire.OpGuarded, `,"hook_event_name":"PreToolUse","tool_name":"Bash","prompt_id":"`+prompt+`"`,
			func(h *hookRequest) {
				h.Verb, h.Rule, h.Part = "deny", rule, "git push -f"
			})
		return want[hookReply](t, reply, wire.CodeOK).Context
	}
	for i, c := range []struct {
		prompt, rule string
		loop         bool
	}{
		{"p1", "a", false}, {"p1", "a", false}, {"p1", "b", false}, {"p1", "a", true}, {"p1", "a", true},
		{"p2", "a", false}, {"p1", "b", false},
	} {
		if told := deny(c.prompt, c.rule); strings.Contains(told, "Write down") != c.loop {
			t.Errorf("%d: %q", i, told)
		}
	}
	if n := strings.Count(strings.Join(r.kinds(), " "), string(event.GuardLoop)); n != 1 {
		t.Errorf("%d deny loops in the journal", n)
	}
}

// TestTaskGivesUp: after three refusals in a row, by any rules and by the person, the run of a task
// is told to write a checkpoint.
func TestTaskGivesUp(t *testing.T) {
	r := newRig(t)
	if _, err := r.core.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	_, err := r.core.StartTask("a", core.Start{
		Run:   run.Run{ID: "run_1", Dir: "/w/a", Conversation: "s", By: "Ann"},
		First: message.Message{Key: "task:one", Text: "first", By: "Ann"},
	})
	if err != nil {
		t.Fatal(err)
	}
	deny := func(rule string) string {
		reply := r.hook(wire.OpGuarded, `,"hook_event_name":"PreToolUse","tool_name":"Bash","prompt_id":"p"`,
			func(h *hookRequest) { h.Verb, h.Rule, h.Part = "deny", rule, "git push -f" })
		return want[hookReply](t, reply, wire.CodeOK).Context
	}
	for i, rule := range []string{"a", "b", "c", "c"} {
		told := deny(rule)
		if has := strings.Contains(told, "Write checkpoint.md"); has != (i >= 2) {
			t.Errorf("refusal %d: %q", i+1, told)
		}
	}
}

// TestPolicyBroken checks that the person is told of each fault once for a session.
func TestPolicyBroken(t *testing.T) {
	r := newRig(t)
	broken := func(what string) string {
		reply := r.hook(wire.OpGuarded, `,"hook_event_name":"PreToolUse","tool_name":"Bash"`,
			func(h *hookRequest) { h.Verb, h.Broken = "broken", what })
		return want[hookReply](t, reply, wire.CodeOK).Notice
	}
	for i, c := range []struct{ what, notice string }{
		{"line 1", "line 1"}, {"line 1", ""}, {"line 2", "line 2"}, {"line 2", ""},
	} {
		if got := broken(c.what); got != c.notice {
			t.Errorf("%d: %q", i, got)
		}
	}
	r.hook(wire.OpSessionStart, `,"hook_event_name":"SessionStart","source":"startup"`,
		func(h *hookRequest) { h.Broken = "line 3" })
	if got := broken("line 3"); got != "" {
		t.Errorf("told at the start already: %q", got)
	}
	if n := strings.Count(strings.Join(r.kinds(), " "), string(event.PolicyBroken)); n != 3 {
		t.Errorf("%d in the journal", n)
	}
}
