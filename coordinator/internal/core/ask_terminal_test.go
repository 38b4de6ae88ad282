package core_test

import (
	"errors"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestAskAtTerminal: a dialog that no hook is asked about is told at once to a person who is away.
// Nobody can answer it from there, and it ends with the dialog.
func TestAskAtTerminal(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.ok(r.SetAway("", session.On, 0))
	v := r.see("s", "/p")
	since := r.time()
	r.pass(5 * time.Second)
	state := func(now session.State) {
		_, err := r.See(session.Sighting{ID: "s", State: now})
		r.ok(err)
	}
	state(session.Idle)
	if _, unasked := r.Unasked("s", since); unasked {
		t.Error("a menu over a prompt that is free counts as a dialog")
	}
	state(session.Working)
	a := ask.NewTerminal("ask_d", v, "Bash", "python3 -c 1")
	r.ok(r.AskAtTerminal(a, since))
	r.ok(r.AskAtTerminal(ask.NewTerminal("ask_e", v, "Bash", "python3 -c 1"), since))
	if open := r.state("ask_d", ask.Open); !open.Shown {
		t.Error("a person who is away is not told")
	}
	if _, err := r.Ask("ask_e"); err == nil {
		t.Error("one dialog is asked about twice")
	}
	for _, allow := range []bool{true, false} {
		_, err := r.Answer("ask_d", ask.Decision{Allow: allow, By: "Ada", Channel: "terminal"})
		if !errors.Is(err, ask.ErrTerminal) {
			t.Errorf("answered with %t: %v", allow, err)
		}
	}
	r.ok(r.DialogOver("s"))
	r.state("ask_d", ask.Withdrawn)
}

// TestAskedElsewhere: a dialog about which a hook was asked is not told a second time.
func TestAskedElsewhere(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/p")
	r.openAsk(ask.Ask{ID: "ask_a", Kind: ask.Permission, Session: "s", Tool: "Bash", Attended: true})
	since := r.time()
	r.ok(r.AskAtTerminal(ask.NewTerminal("ask_d", v, "Bash", ""), since))
	if _, err := r.Ask("ask_d"); err == nil {
		t.Error("the dialog is asked about twice")
	}
}
