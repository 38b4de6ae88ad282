package core_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// denied returns a call that auto mode refused.
func denied(id, input string) ask.Ask {
	a := newAsk(id, input)
	a.Kind = ask.Denied
	return a
}

func (r *rig) denied(id, input string) ask.Ask {
	r.t.Helper()
	a, err := r.Park(denied(id, input))
	r.ok(err)
	return a
}

func (r *rig) retries(input string) bool {
	r.t.Helper()
	_, ok, err := r.TakeRetry(denied("", input))
	r.ok(err)
	return ok
}

// TestRetryOnce checks that the exact call may be retried once within five minutes of the tap,
// and that every further tap gets an accurate answer.
func TestRetryOnce(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.ok(r.SetAway("", session.On, 0))
	if a := r.denied("ask_a", "x"); !a.Parked || !a.Shown || a.Ending() != "refused by Claude Code's auto mode" {
		t.Fatalf("have %+v", a)
	}
	if again := r.denied("ask_b", "x"); again.ID != "ask_a" {
		t.Errorf("the same refusal twice is two cards: %s", again.ID)
	}
	if r.retries("x") || r.MayRetry() {
		t.Error("a retry that nobody allowed")
	}
	_, err := r.Answer("ask_a", yes("Ada"))
	r.ok(err)
	if _, err := r.Answer("ask_a", yes("Ada")); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("a second tap: %v", err)
	}
	r.restart()
	if !r.MayRetry() || len(r.drain(core.LaneDisk)) != 1 {
		t.Error("the hooks are not told to look")
	}
	if r.retries("y") {
		t.Error("another input may run")
	}
	if guarded := newAsk("ask_g", "x"); r.guardAllows(guarded) {
		t.Error("the guard's question was answered by it")
	}
	if !r.retries("x") || r.retries("x") {
		t.Error("the retry does not count exactly once")
	}
	r.ok(r.Ran(ran("x")))
	if a, err := r.Ask("ask_a"); err != nil || !strings.HasPrefix(a.Outcome(), "ran ok") || r.MayRetry() {
		t.Errorf("the card says %q, %q, %v", a.Ending(), a.Outcome(), err)
	}
}

// guardAllows parks a call that the guard asks about.
func (r *rig) guardAllows(a ask.Ask) bool {
	r.t.Helper()
	a.Kind = ask.Guard
	a, err := r.Park(a)
	r.ok(err)
	return a.State != ask.Expired
}

func TestRetryRunsOut(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.denied("ask_a", "x")
	_, err := r.Answer("ask_a", yes("Ada"))
	r.ok(err)
	r.pass(ask.RetryFor - time.Second)
	r.drain(core.LaneDisk)
	if !r.MayRetry() {
		t.Fatal("it ran out too early")
	}
	r.pass(time.Second)
	if a, err := r.Ask("ask_a"); err != nil || !strings.HasSuffix(a.Ending(), "not tried again in time") {
		t.Errorf("the card says %q, %v", a.Ending(), err)
	}
	if r.retries("x") || len(r.drain(core.LaneDisk)) != 1 {
		t.Error("it counts after its time")
	}
}

// TestDeniedCard checks that the card waits for the grace if somebody sits at the terminal,
// and that typing postpones it.
func TestDeniedCard(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	if a := r.denied("ask_a", "x"); a.Shown {
		t.Error("the phone rings at once")
	}
	r.pass(session.Grace - time.Second)
	r.ok(r.Typed("s", ""))
	r.pass(time.Second)
	if a, _ := r.Ask("ask_a"); a.Shown {
		t.Error("typing did not put it off")
	}
	r.pass(session.Grace)
	if a, _ := r.Ask("ask_a"); !a.Shown {
		t.Error("it never left the terminal")
	}
}

// TestDeniedHopes checks that a print session waits for another try only if a phone can allow
// it, and not longer than any other unattended question lives.
func TestDeniedHopes(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.denied("ask_a", "x")
	if left := r.ParkedFor("s"); left != 0 {
		t.Errorf("without a phone it waits %s", left)
	}
	r.pair()
	if left := r.ParkedFor("s"); left != ask.UnattendedFor {
		t.Errorf("it waits %s", left)
	}
	r.pass(ask.UnattendedFor)
	if left := r.ParkedFor("s"); left != 0 {
		t.Errorf("then %s more", left)
	}
}

// TestLateAnswerEndsCheckIn checks that a late answer releases a session from its check-in,
// and that the background waiter wakes it.
func TestLateAnswerEndsCheckIn(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.ok(r.SetAway("", session.On, 0))
	r.denied("ask_a", "x")
	if hold, err := r.CheckIn(ask.NewCheckIn("ask_c", "s", "done", "/p"), session.Process{}); !hold || err != nil {
		t.Fatal(hold, err)
	}
	_, err := r.Answer("ask_a", yes("Ada"))
	r.ok(err)
	r.state("ask_c", ask.Withdrawn)
	r.ok(r.TakeOver("s", "w", session.Process{}))
	_, err = r.See(session.Sighting{ID: "s", State: session.Idle})
	r.ok(err)
	r.pass(time.Second)
	if got, _ := r.AwaitWake(context.Background(), "s", "w"); got != core.Wake {
		t.Errorf("the session is told to %s", got)
	}
}
