package loop

import (
	"strings"
	"testing"
)

// TestOutsideWakes checks that a loop started from outside wakes an idle session until the
// session knows of it.
func TestOutsideWakes(t *testing.T) {
	task := Options{Task: "paint the fence", Max: 3, Outside: true}
	start := func(o Options) Stack {
		out, err := Start(Stack{}, "ses1", "run", o, epoch)
		if err != nil {
			t.Fatal(err)
		}
		return out.Stack
	}
	outside := start(task)
	if !strings.Contains(outside.Waking(), "a loop was started") {
		t.Errorf("wakes with %q", outside.Waking())
	}
	introduced, intro := Introduce(outside)
	if introduced.Waking() != "" || !strings.Contains(intro, "Goal: paint the fence") {
		t.Errorf("introduced with %q, and wakes with %q", intro, introduced.Waking())
	}
	if s := mustStop(outside, Stopping{Message: "hello"}, epoch).Stack; s.Waking() != "" {
		t.Errorf("sent on, and wakes with %q", s.Waking())
	}
	if s := Touch(outside, epoch); s.Waking() == "" {
		t.Error("a tool call of the turn before took the wake away")
	}
	if s := must(Cancel(outside, "Ann", epoch)).Stack; s.Waking() != "" {
		t.Errorf("cancelled, and wakes with %q", s.Waking())
	}
	task.Outside = false
	if s := start(task); s.Waking() != "" {
		t.Errorf("typed in the session, and wakes with %q", s.Waking())
	}
}

// TestOutsideIssueWakes checks that an issue loop wakes its session when the first issue is
// known.
func TestOutsideIssueWakes(t *testing.T) {
	out, err := Start(Stack{}, "ses1", "run", Options{Max: 10, Repo: "/repo", Outside: true}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Stack.Waking(); got != "" {
		t.Errorf("wakes before there is an issue, with %q", got)
	}
	s := advance(t, out.Stack, Result{Ready: []Found{{ID: "7", Title: "Mend the gate"}}})
	s = advance(t, s, Result{Place: Place{Path: "/w", Branch: "b", Base: "main"}})
	if s.Waking() == "" {
		t.Error("does not wake for the issue")
	}
	heard, intro := Introduce(s)
	if !strings.Contains(intro, "Issue 7 is yours") || heard.top().Tell != "" {
		t.Errorf("hears %q, and later %q", intro, heard.top().Tell)
	}
}
