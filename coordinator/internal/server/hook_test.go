//go:build unix

package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// nowhere is the process id of a client that is not an ancestor of any process here.
const nowhere = 1 << 29

// openAsk opens an ask in a session whose client is the test process. Every child of the test
// is then a child of a session.
func openAsk(r *rig, id string) error { return openAskOf(r, id, os.Getpid()) }

func openAskOf(r *rig, id string, client int) error {
	_, err := r.core.See(session.Sighting{
		ID:       "s",
		Cwd:      "/home/ada/proj",
		Client:   client,
		Attended: true,
		KnowAtt:  true,
		Hooked:   true,
		Starts:   true,
		State:    session.Working,
	})
	if err != nil {
		return err
	}
	_, err = r.core.OpenCovered(ask.Ask{
		ID:       ask.ID(id),
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     "Bash",
		Hash:     strings.Repeat(id, 64)[:64],
		Attended: true,
	}, grant.Need{})
	return err
}

const bash = `,"tool_name":"Bash","tool_input":{"command":"make"}`

func (r *rig) askHook(op fmt.Stringer, waitMS int64) wire.AskState {
	r.t.Helper()
	return want[wire.AskState](r.t,
		r.hook(op, bash, func(h *hookRequest) { h.Ask, h.Kind, h.WaitMS = "a", "permission", waitMS }), wire.CodeOK)
}

// TestAskByHook is the life of an ask, as its hook sees it.
func TestAskByHook(t *testing.T) {
	r := newRig(t)
	opened := r.askHook(wire.OpAskOpen, 0)
	if opened.ID != "a" || opened.State != "open" || opened.DeadlineMS <= 0 ||
		opened.DeadlineMS > ask.AttendedFor.Milliseconds() {
		t.Errorf("have %+v", opened)
	}
	if got := r.askHook(wire.OpAskWait, 1); got.State != "open" {
		t.Errorf("the wait is over: %+v", got)
	}
	if !r.askState("a").LostAt.IsZero() {
		t.Error("a wait that came to its end is no broken connection")
	}
	if got := r.askHook(wire.OpAskClaim, 0); got.State != "open" {
		t.Errorf("nothing to claim yet: %+v", got)
	}
	_, err := r.core.Answer("a", ask.Decision{Message: "use the other one", By: "Ada"})
	r.ok(err)
	for op, state := range map[fmt.Stringer]string{wire.OpAskOpen: "answered", wire.OpAskWait: "answered"} {
		if got := r.askHook(op, 20_000); got.State != state || got.Allow || got.Message != "use the other one" {
			t.Errorf("%s: %+v", op, got)
		}
	}
	if got := r.askHook(wire.OpAskClaim, 0); got.State != "delivered" || got.Message != "use the other one" {
		t.Errorf("have %+v", got)
	}
	if got := r.askHook(wire.OpAskEnded, 0); got.State != "delivered" {
		t.Errorf("what is delivered is not cancelled: %+v", got)
	}
}

// TestStaleAnswer: an ask that was settled at the terminal is not printed.
func TestStaleAnswer(t *testing.T) {
	r := newRig(t)
	r.askHook(wire.OpAskOpen, 0)
	_, err := r.core.Answer("a", ask.Decision{Allow: true, By: "Ada"})
	r.ok(err)
	want[hookReply](t, r.hook(wire.OpOutcome, bash+`,"duration_ms":1200`, func(h *hookRequest) { h.OK = true }),
		wire.CodeOK)
	if got := r.askHook(wire.OpAskClaim, 0); got.State != "withdrawn" || got.Allow ||
		got.Message != "answered at the terminal" {
		t.Errorf("have %+v", got)
	}
	if a := r.askState("a"); a.Outcome() != "ran ok, 1.2 s" {
		t.Errorf("have %q", a.Outcome())
	}
}

func TestAskEnded(t *testing.T) {
	r := newRig(t)
	r.askHook(wire.OpAskOpen, 0)
	reply := r.hook(wire.OpAskEnded, "", func(h *hookRequest) { h.Ask, h.Why = "a", "Esc" })
	if got := want[wire.AskState](t, reply, wire.CodeOK); got.State != "cancelled" || got.Message != "Esc" {
		t.Errorf("have %+v", got)
	}
}

// TestBrokenConnection checks that the ask of a hook that disappears is marked as lost, and
// that a hook that reconnects finds it.
func TestBrokenConnection(t *testing.T) {
	r := newRig(t)
	r.askHook(wire.OpAskOpen, 0)
	_, err := r.core.LoseAsk("a")
	r.ok(err)
	line := r.line(wire.OpAskWait, hookCall("", func(h *hookRequest) { h.Ask, h.WaitMS = "a", 20_000 }))
	cmd, _ := r.start(hookBinary, line)
	r.until("the hook waits", func() bool { return r.askState("a").LostAt.IsZero() })
	r.ok(cmd.Process.Kill())
	r.until("its connection broke", func() bool { return !r.askState("a").LostAt.IsZero() })
	_, reply := r.start(hookBinary, line)
	r.until("it dialled again", func() bool { return r.askState("a").LostAt.IsZero() })
	_, err = r.core.Answer("a", ask.Decision{Allow: true, By: "Ada"})
	r.ok(err)
	if got := want[wire.AskState](t, r.reply(<-reply), wire.CodeOK); got.State != "answered" || !got.Allow {
		t.Errorf("have %+v", got)
	}
}

// TestHookGone checks that the ask of a hook that ends before it waits for the answer is lost, and that of one that
// waits is not.
func TestHookGone(t *testing.T) {
	r := newRig(t)
	for _, op := range []fmt.Stringer{wire.OpAskOpen, wire.OpAskWait} {
		waits := `,"tool_name":"Bash","tool_input":{"command":"go build"}`
		r.hook(op, waits, func(h *hookRequest) { h.Ask, h.Kind, h.WaitMS = "b", "permission", 1 })
	}
	r.askHook(wire.OpAskOpen, 0)
	r.until("it is lost", func() bool { return !r.askState("a").LostAt.IsZero() })
	if !r.askState("b").LostAt.IsZero() {
		t.Error("a hook that waits is expected still")
	}
}

func TestAskRefused(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		op      fmt.Stringer
		payload string
		change  func(*hookRequest)
		code    string
	}{
		"no id":              {wire.OpAskOpen, bash, nil, wire.CodeBadRequest},
		"no input":           {wire.OpAskOpen, "", func(h *hookRequest) { h.Ask = "x" }, wire.CodeBadRequest},
		"wait without an id": {wire.OpAskWait, "", nil, wire.CodeBadRequest},
		"wait for nothing":   {wire.OpAskWait, "", func(h *hookRequest) { h.Ask = "x" }, wire.CodeNotFound},
		"claim of nothing":   {wire.OpAskClaim, "", func(h *hookRequest) { h.Ask = "x" }, wire.CodeNotFound},
		"end of nothing":     {wire.OpAskEnded, "", func(h *hookRequest) { h.Ask = "x" }, wire.CodeNotFound},
		"outcome of nothing": {wire.OpOutcome, "", nil, wire.CodeBadRequest},
		"payload is not JSON": {
			wire.OpStop, "", func(h *hookRequest) { h.Payload = wire.Raw(`"x"`) }, wire.CodeBadRequest,
		},
		"payload is null": {
			wire.OpStop, "", func(h *hookRequest) { h.Payload = wire.Raw(`null`) }, wire.CodeBadRequest,
		},
		"no session": {
			wire.OpStop, "", func(h *hookRequest) { h.Payload = wire.Raw(`{"cwd":"/p"}`) }, wire.CodeBadRequest,
		},
		"a session of no text": {
			wire.OpStop, "", func(h *hookRequest) { h.Payload = wire.Raw(`{"session_id":7}`) }, wire.CodeBadRequest,
		},
	} {
		t.Run(name, func(t *testing.T) { want[any](t, r.hook(c.op, c.payload, c.change), c.code) })
	}
	r.ok(openAsk(r, "a"))
	// another call's id
	want[any](t, r.hook(wire.OpAskOpen, bash, func(h *hookRequest) { h.Ask = "a" }), wire.CodeBadRequest)
}

// TestSilent checks that only the guard works while Afar is paused or switched off.
func TestSilent(t *testing.T) {
	r := newRig(t)
	off := func(h *hookRequest) { h.Off, h.Ask = true, "a" }
	check := func(what string, change func(*hookRequest)) {
		if got := want[wire.AskState](t, r.hook(wire.OpAskOpen, bash, change), wire.CodeOK); got.State != "cancelled" ||
			got.Message == "" {
			t.Errorf("%s: %+v", what, got)
		}
		if got := want[hookReply](t, r.hook(wire.OpStop, "", change), wire.CodeOK); got.Block {
			t.Errorf("%s: %+v", what, got)
		}
	}
	_, err := r.core.See(session.Sighting{ID: "s", Hooked: true, Starts: true})
	r.ok(err)
	_, err = r.core.StartLoop("s", loop.Options{Task: "x", Max: 3})
	r.ok(err)
	check("switched off", off)
	r.ok(r.core.Pause(true))
	check("paused", func(h *hookRequest) { h.Ask = "a" })
	want[hookReply](t, r.hook(wire.OpGuarded, bash, func(h *hookRequest) {
		h.Off, h.Rule, h.Verb, h.Part = true, "rule-x", "deny", "rm -rf  /\nx --token hunter22"
	}), wire.CodeOK)
	if got := r.kinds(); got[len(got)-1] != "guard.denied rule-x" {
		t.Errorf("the guard is always heard: %v", got)
	}
	events, err := r.store.Journal(0, 1, "", true)
	r.ok(err)
	if events[0].Text != "guard: deny Bash (rule-x): rm -rf / x --token ••• · in: make" {
		t.Errorf("have %q", events[0].Text)
	}
}

// TestDoneBehindReply checks that the work after a reply is done even if no other call comes.
func TestDoneBehindReply(t *testing.T) {
	r := newRig(t)
	r.hook(wire.OpPrompt, `,"prompt":"hi"`, nil)
	if reply := r.hook(wire.OpStop, "", nil); reply.Code != wire.CodeOK {
		t.Fatalf("%+v", reply)
	}
	r.until("the session is idle", func() bool {
		v, err := r.core.Session("s")
		return err == nil && v.State == session.Idle
	})
}

func TestSessionByHooks(t *testing.T) {
	r := newRig(t)
	r.hook(wire.OpSessionStart, `,"hook_event_name":"SessionStart","source":"startup"`, nil)
	v, err := r.core.Session("s")
	r.ok(err)
	if v.State != session.Idle || v.Client != os.Getpid() || v.Terminal != "tty:x" || !v.Attended ||
		v.Mode != "auto" || v.Project != "/home/ada/proj" || !v.Hooked {
		t.Errorf("have %+v", v)
	}
	for _, c := range []struct {
		op      fmt.Stringer
		payload string
		want    session.State
	}{
		{wire.OpPrompt, `,"prompt":"hi"`, session.Working}, {wire.OpStop, "", session.Idle},
		{wire.OpOutcome, bash, session.Working},
		{wire.OpNotification, `,"notification_type":"other"`, session.Working},
		{wire.OpNotification, `,"notification_type":"idle_prompt"`, session.Idle},
		{wire.OpSubagentStop, "", session.Idle}, {wire.OpPreCompact, "", session.Idle},
		{wire.OpGuarded, bash, session.Working},
		{wire.OpStopFailure, `,"error":"rate_limit"`, session.Idle},
		{wire.OpSessionEnd, `,"reason":"logout"`, session.Ended},
	} {
		if reply := r.hook(c.op, c.payload, nil); reply.Code != wire.CodeOK {
			t.Errorf("%s: %+v", c.op, reply)
		}
		r.ask(wire.OpStatus, nil) // what a reply left to do is done before the next one
		if v, err := r.core.Session("s"); err != nil || v.State != c.want {
			t.Errorf("after %s it is %s, want %s", c.op, v.State, c.want)
		}
	}
	if got := r.kinds(); got[len(got)-1] != "session.ended "+v.Token {
		t.Errorf("have %v", got)
	}
	if st := want[wire.StatusReply](t, r.ask(wire.OpStatus, nil), wire.CodeOK); len(st.Sessions) != 0 {
		t.Errorf("an ended session is not shown: %+v", st.Sessions)
	}
}

// TestTyped checks that only a prompt that a person types at the terminal postpones a card.
func TestTyped(t *testing.T) {
	r := newRig(t)
	card := func() time.Time { return r.askState("a").CardAt }
	r.askHook(wire.OpAskOpen, 0)
	for name, c := range map[string]struct {
		payload string
		change  func(*hookRequest)
	}{
		"a task notification":   {`,"prompt":"<task-notification>x"`, nil},
		"nobody sits there":     {`,"prompt":"x"`, func(h *hookRequest) { h.Attended = false }},
		"not its own client":    {`,"prompt":"x"`, func(h *hookRequest) { h.Client = 1 << 30 }},
		"the client is unknown": {`,"prompt":"x"`, func(h *hookRequest) { h.Client = 0 }},
	} {
		before := card()
		r.hook(wire.OpPrompt, c.payload, c.change)
		if !card().Equal(before) {
			t.Errorf("%s postponed the card", name)
		}
	}
	before := card()
	r.hook(wire.OpPrompt, `,"prompt":"hello"`, nil)
	if !card().After(before) {
		t.Error("typing did not postpone the card")
	}
}

func TestRedirected(t *testing.T) {
	r := newRig(t)
	r.hook(wire.OpStop, "", func(h *hookRequest) { h.Redirected = []string{"AFAR_HOME=/evil", "X_TOKEN=hunter22"} })
	events, err := r.store.Journal(0, 1, "", true)
	r.ok(err)
	if e := events[0]; e.Kind != "redirected" || e.Session != "s" || !strings.Contains(e.Text, "AFAR_HOME=/evil") ||
		strings.Contains(e.Text, "hunter22") {
		t.Errorf("have %+v", e)
	}
}

// typed sends one of our slash commands from the session s.
func (r *rig) typed(command, args string) hookReply {
	r.t.Helper()
	return want[hookReply](r.t, r.hook(wire.OpExpand, `,"command_name":"`+command+`","command_args":"`+args+`"`, nil),
		wire.CodeOK)
}

func TestCommands(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		command, args string
		block         bool
		says          string
	}{
		{"afar:cancel", "", true, "No loop runs"},
		{"afar:away", "", true, "Away is auto"},
		{"afar:away", "on --for 2h", true, "Away is on --for 2h"},
		{"afar:away", "", true, "Away is on"},
		{"afar:away", "sometimes", true, "on, off or auto"},
		{"afar:away", "on --for never", true, "/afar:away on --for 2h"},
		{"afar:away", "on 2h", true, "/afar:away on --for 2h"},
		{"afar:status", "", true, "open asks: 0"},
		{"loop", "", true, "say what to do"},
		{"loop", "--check 'rm -rf ~' y", true, "the guard refuses this check"},
		{"loop", "--budget none y", true, "an amount in US dollars"},
		{"loop", "5m look at it", false, "CronCreate"},
		{"afar:loop", "--max 2 --check 'go vet' don't stop", false, "don't stop"},
		{"afar:status", "", true, "loop 0/2"},
		{"afar:cancel", "", true, "cancelled"},
		{"somebody-elses", "", false, ""},
	} {
		got := r.typed(c.command, c.args)
		if got.Block != c.block || !strings.Contains(got.Reason+got.Context, c.says) {
			t.Errorf("/%s %s: %+v", c.command, c.args, got)
		}
	}
	r.ok(r.core.Pause(true))
	if got := r.typed("loop", "x"); !got.Block || !strings.Contains(got.Reason, "afar resume") {
		t.Errorf("paused: %+v", got)
	}
}

// TestCommandsOfOthers checks that the host's own commands are left to the host, also in a
// client that a session started. Our commands are refused there.
func TestCommandsOfOthers(t *testing.T) {
	r := newRig(t)
	nested := func(h *hookRequest) { h.Client = 1 << 30 }
	for name, c := range map[string]struct {
		payload string
		change  func(*hookRequest)
		block   bool
	}{
		"bundled":        {`,"command_name":"loop","command_args":"x","command_source":"bundled"`, nil, false},
		"bundled nested": {`,"command_name":"loop","command_args":"x","command_source":"bundled"`, nested, false},
		"off":            {`,"command_name":"loop","command_args":"x"`, func(h *hookRequest) { h.Off = true }, false},
		"ours nested":    {`,"command_name":"afar:loop","command_args":"x"`, nested, true},
		"away nested":    {`,"command_name":"afar:away","command_args":"off"`, nested, true},
	} {
		got := want[hookReply](t, r.hook(wire.OpExpand, c.payload, c.change), wire.CodeOK)
		if got.Block != c.block {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if r.core.Loop("s").Active() || r.core.Away("s") != session.Auto {
		t.Error("something was decided")
	}
}

func TestLoopByHooks(t *testing.T) {
	r := newRig(t)
	r.typed("afar:loop", "--max 3 tidy up")
	got := want[hookReply](t, r.hook(wire.OpStop, `,"last_assistant_message":"going on"`, nil), wire.CodeOK)
	if !got.Block || !strings.Contains(got.Reason, "tidy up") {
		t.Errorf("have %+v", got)
	}
	agent := `,"background_tasks":[{"id":"1","type":"subagent","description":"x"}]`
	if got := want[hookReply](t, r.hook(wire.OpStop, agent, nil), wire.CodeOK); got.Block {
		t.Errorf("an agent will wake the session: %+v", got)
	}
	shell := `,"background_tasks":[{"id":"2","type":"shell","description":"make"}]`
	if got := want[hookReply](t, r.hook(wire.OpStop, shell, nil), wire.CodeOK); got.Block {
		t.Errorf("a fresh shell will wake the session: %+v", got)
	}
	if got := want[hookReply](t, r.hook(wire.OpStop, shell, nil), wire.CodeOK); !got.Block ||
		!strings.Contains(got.Reason, "make (2)") {
		t.Errorf("an old shell is listed: %+v", got)
	}
	r.hook(wire.OpPreCompact, "", nil)
	got = want[hookReply](t, r.hook(wire.OpSessionStart, `,"source":"compact"`, nil), wire.CodeOK)
	if !strings.Contains(got.Context, "tidy up") || !strings.Contains(got.Context, "abc first") ||
		!strings.Contains(got.Context, "main.go") {
		t.Errorf("the anchor: %q", got.Context)
	}
	got = want[hookReply](t, r.hook(wire.OpSessionStart, `,"source":"startup"`, nil), wire.CodeOK)
	if got.Context != "" {
		t.Errorf("a new start needs no anchor: %q", got.Context)
	}
	got = want[hookReply](t, r.hook(wire.OpStop, `,"last_assistant_message":"<loop-done>COMPLETE</loop-done>"`, nil),
		wire.CodeOK)
	if got.Block {
		t.Errorf("have %+v", got)
	}
	l := want[wire.Loop](t, r.ask(wire.OpLoop, wire.Named{ID: "s"}), wire.CodeOK)
	if l.Active || l.Verdict != "done" || l.Proven || len(l.Stack) != 1 {
		t.Errorf("have %+v", l)
	}
}

// TestLoopWithSlowGit: a git that does not say where it is in time is no folder without a repository.
func TestLoopWithSlowGit(t *testing.T) {
	r := newRig(t)
	r.hangs = true
	_, err := r.core.See(session.Sighting{ID: "s", Cwd: "/p", Client: nowhere, Hooked: true, Starts: true})
	r.ok(err)
	got := r.as(person, wire.OpLoopStart, wire.LoopStartRequest{Session: "s", Args: ""})
	if got.Code != wire.CodeBadRequest || !strings.Contains(got.Error, "git did not say within 2s") {
		t.Errorf("%q %q", got.Code, got.Error)
	}
}

func TestLoopsFromOutside(t *testing.T) {
	r := newRig(t)
	_, err := r.core.See(session.Sighting{ID: "s", Cwd: "/p", Client: nowhere, Hooked: true, Starts: true})
	r.ok(err)
	_, err = r.core.See(session.Sighting{ID: "t", Cwd: "/p", Client: nowhere, Hooked: true, Starts: true})
	r.ok(err)
	want[any](t, r.ask(wire.OpLoop, wire.Named{ID: "s"}), wire.CodeNotFound)
	want[any](t, r.ask(wire.OpLoop, wire.Named{}), wire.CodeBadRequest)
	for args, code := range map[string]string{
		"": wire.CodeBadRequest, "5m x": wire.CodeBadRequest, "--max 0 x": wire.CodeBadRequest,
		"--max 2 x": wire.CodeOK,
	} {
		if got := r.as(person, wire.OpLoopStart, wire.LoopStartRequest{Session: "s", Args: args}); got.Code != code {
			t.Errorf("%q: %+v", args, got)
		}
	}
	want[any](t, r.as(person, wire.OpLoopStart, wire.LoopStartRequest{Session: "none", Args: "x"}), wire.CodeNotFound)
	ls := want[wire.LoopsReply](t, r.ask(wire.OpLoops, nil), wire.CodeOK).Loops
	if len(ls) != 1 || !ls[0].Active || ls[0].Session != "s" || ls[0].Stack[0].Max != 2 {
		t.Errorf("have %+v", ls)
	}
	v, err := r.core.Session("s")
	r.ok(err)
	marked := caller{name: "afar", env: []string{"CLAUDECODE=1"}}
	want[any](t, r.as(marked, wire.OpLoopCancel, wire.Named{ID: v.Token}), wire.CodeDenied)
	l := want[wire.Loop](t, r.as(person, wire.OpLoopCancel, wire.Named{ID: v.Token}), wire.CodeOK)
	if l.Active || l.Verdict != "cancelled" || l.ID != v.Token {
		t.Errorf("have %+v", l)
	}
	if e := r.core.Loop("s").Ended; e == nil || !strings.HasSuffix(e.By, " at the terminal") {
		t.Errorf("who ended it: %+v", e)
	}
	want[any](t, r.as(person, wire.OpLoopCancel, wire.Named{ID: "s"}), wire.CodeNotFound)
	if got := r.kinds(); !slices.Contains(got, "loop.ended "+v.Token) {
		t.Errorf("have %v", got)
	}
}

// TestReasons checks that a card shows the person's last prompt and the session's last line,
// each in one line and without secrets. A prompt that no person typed does not count.
func TestReasons(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	said := `{"type":"assistant","message":{"content":[{"type":"text",` +
		`"text":"I look.\n\n**Now** with password=hunter22:\n"},{"type":"tool_use","id":"t"}]}}` + "\n"
	r.ok(os.WriteFile(path, []byte(said), 0o600))
	r.hook(wire.OpPrompt, `,"prompt":"\n# Fix the\u202e   login token=abcdefgh1234\nand the rest"`, nil)
	r.hook(wire.OpPrompt, `,"prompt":"<task-notification>done"`, nil)
	r.hook(wire.OpPrompt, `,"prompt":"by a script"`, func(h *hookRequest) { h.Attended = false })
	r.hook(wire.OpAskOpen, bash, func(h *hookRequest) {
		h.Ask, h.Kind = "a", "permission"
		h.Payload = wire.Raw(strings.ReplaceAll(string(h.Payload), "/t.jsonl", path))
	})
	a := r.askState("a")
	if a.Asked != "Fix the⟨U+202E⟩ login token=•••" || a.Said != "Now with password=•••" {
		t.Errorf("asked %q, said %q", a.Asked, a.Said)
	}
}
