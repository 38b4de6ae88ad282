package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// sub returns an ask of a subagent for the input x.
func sub(id string) ask.Ask {
	a := newAsk(id, "x")
	a.Agent, a.AgentType = "agent-"+id, "Explore"
	return a
}

// TestTwins checks which asks share a card.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(a *ask.Ask)
		joins  bool
	}{
		{"another subagent", func(*ask.Ask) {}, true},
		{"a subagent of another type", func(a *ask.Ask) { a.AgentType = "Plan" }, true},
		{"another input", func(a *ask.Ask) { a.Hash = strings.Repeat("y", 64) }, false},
		{"another tool", func(a *ask.Ask) { a.Tool = "Monitor" }, false},
		{"another session", func(a *ask.Ask) { a.Session = "other" }, false},
		{"another directory", func(a *ask.Ask) { a.Cwd = "/elsewhere" }, false},
		{"another kind", func(a *ask.Ask) { a.Kind = ask.Guard }, false},
		{"another risk", func(a *ask.Ask) { a.Why = "Rewrites a remote branch" }, false},
		{"another offer", func(a *ask.Ask) { a.Offer = &ask.Offer{Rules: []grant.Rule{{Text: "all"}}} }, false},
		{"the main agent, which has a dialog", func(a *ask.Ask) { a.Agent = "" }, false},
		{"nobody there", func(a *ask.Ask) { a.Attended = false }, false},
		{"a plan", func(a *ask.Ask) { a.Kind = ask.Plan }, false},
	} {
		r := newRig(t)
		r.see("s", "/p")
		r.see("other", "/p")
		r.openAsk(sub("a"))
		b := sub("b")
		c.change(&b)
		if got := r.openAsk(b); (got.On == "a") != c.joins {
			t.Errorf("%s stands on %q", c.name, got.On)
		}
	}
}

// TestTwinsAnsweredTogether checks that one answer settles all asks that are on the card at
// that time, each in the journal. The next identical ask gets a new card.
func TestTwinsAnsweredTogether(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	for _, id := range []string{"a", "b", "c"} {
		r.openAsk(sub(id))
	}
	if got := r.drain(phone); len(got) != 1 || got[0].Key != "phone/card:a" {
		t.Errorf("the phone gets %+v", got)
	}
	_, err := r.CancelAsk("a", "ended at the terminal")
	r.ok(err)
	if _, err := r.Answer("a", yes("Ada")); err == nil {
		t.Error("the answer to one that ended reached others")
	}
	head := r.head()
	r.ok(r.press(core.Press{
		Act: channel.Act{Channel: phone, Update: 1, Tap: "q"}, Nonce: r.state("a", ask.Cancelled).Nonce,
		Decision: yes("Ada"),
	}))
	r.same("journal", []string{"ask.answered b", "ask.answered c"}, slices.Sorted(slices.Values(r.kinds(head))))
	r.state("b", ask.Answered)
	r.state("c", ask.Answered)
	next := r.openAsk(sub("d"))
	if next.State != ask.Open || next.On != "" || next.Decision != nil {
		t.Errorf("a later one is %+v", next)
	}
	if n := len(r.OpenCards()); n != 1 {
		t.Errorf("%d cards wait", n)
	}
}

// TestTwinsGrantOnce checks that an allow for the session of several asks gives one grant.
func TestTwinsGrantOnce(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for _, id := range []string{"a", "b", "c"} {
		a := sub(id)
		a.Offer = &ask.Offer{Rules: []grant.Rule{{Tool: "Bash", Argv: []string{"npm", "test"}, Text: "npm test …"}}}
		r.openAsk(a)
	}
	d := yes("Ada")
	d.Scope = ask.Session
	_, err := r.Answer("b", d)
	r.ok(err)
	if got := r.Grants(); len(got) != 1 || len(r.Asks(false)) != 3 {
		t.Errorf("%d grants, %d answered", len(got), len(r.Asks(false)))
	}
	for _, a := range r.Asks(false) {
		if a.State != ask.Answered || a.Decision.Scope != ask.Session {
			t.Errorf("%s is %s", a.ID, a.State)
		}
	}
}

// TestTwinsPark checks that a late yes allows one try for each ask.
func TestTwinsPark(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for _, id := range []string{"a", "b"} {
		a := newAsk(id, "x")
		a.Attended = false
		r.openAsk(a)
	}
	r.pass(ask.UnattendedFor)
	_, err := r.Answer("b", yes("Ada"))
	r.ok(err)
	for _, id := range []string{"e", "f"} {
		a := newAsk(id, "x")
		a.Attended = false
		if got := r.openAsk(a); got.State != ask.Answered || got.Decision.Channel != "lease" {
			t.Errorf("the next try is %s", got.State)
		}
	}
}

// TestTwinsStayTogether checks that the asks of a card stay together after a restart and when
// a person types.
func TestTwinsStayTogether(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	r.pass(session.Grace / 2)
	r.openAsk(newAsk("b", "x"))
	r.pass(session.Grace / 4)
	r.ok(r.Typed("s", ""))
	r.pass(session.Grace - 1)
	if a, b := r.state("a", ask.Open), r.state("b", ask.Open); a.Shown || b.Shown {
		t.Error("typing did not postpone the card")
	}
	r.pass(1)
	if a, b := r.state("a", ask.Open), r.state("b", ask.Open); !a.Shown || !b.Shown {
		t.Errorf("shown: %t, %t", a.Shown, b.Shown)
	}
	r.restart()
	card, err := r.OnCard("a")
	r.ok(err)
	if len(card) != 2 || card[0].ID != "a" {
		t.Errorf("have %+v", card)
	}
}

// TestTwinsLeaveTogether checks that an ask that joins a card leaves the terminal with it: at
// the time of the first ask, or at once if the card is shown already.
func TestTwinsLeaveTogether(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	r.pass(session.Grace / 2)
	r.openAsk(newAsk("b", "x"))
	r.pass(session.Grace / 2)
	if a, b := r.state("a", ask.Open), r.state("b", ask.Open); !a.Shown || !b.Shown {
		t.Errorf("shown: %t, %t", a.Shown, b.Shown)
	}
	if c := r.openAsk(newAsk("c", "x")); !c.Shown {
		t.Error("the card is out, and who joins it is not on it")
	}
}

// TestTwinsUnderLoad checks that many asks at once are one card, and that the first answer
// settles all of them.
func TestTwinsUnderLoad(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	done := make(chan error)
	for i := range 20 {
		go func() { _, err := r.OpenCovered(sub(fmt.Sprint("a", i)), grant.Need{}); done <- err }()
	}
	for range 20 {
		r.ok(<-done)
	}
	if cards := r.OpenCards(); len(cards) != 1 || len(cards[0]) != 20 {
		t.Fatalf("%d cards", len(cards))
	}
	_, err := r.Answer("a7", yes("Ada"))
	r.ok(err)
	for _, a := range r.Asks(true) {
		if a.State != ask.Answered {
			t.Errorf("%s is %s", a.ID, a.State)
		}
	}
}

// TestPerhaps checks parallel dialogs of which one was settled at the terminal. The others may
// be settled too. The last remaining one is not in doubt, and neither is one that was opened
// later.
func TestPerhaps(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	for _, id := range []string{"a", "b", "c", "d"} {
		r.openAsk(newAsk(id, id))
		r.pass(time.Millisecond)
	}
	r.pass(time.Minute)
	r.openAsk(newAsk("e", "e"))
	perhaps := func() (out string) {
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if a, err := r.Ask(ask.ID(id)); err == nil && a.State == ask.Open && a.Perhaps {
				out += id
			}
		}
		return out
	}
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"the third ran", func() { r.ok(r.Ran(ran("c"))) }, "abd"},
		{"the first is answered after all", func() { _, err := r.Answer("a", yes("Ada")); r.ok(err) }, "bd"},
		{"the later one ran", func() { r.ok(r.Ran(ran("e"))) }, "bd"},
		{"the fourth ran: one is left, and it is open", func() { r.ok(r.Ran(ran("d"))) }, ""},
		{"no dialog is left", func() { r.ok(r.LocallySettled("s", r.time().Add(1))) }, ""},
	} {
		step.do()
		if got := perhaps(); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	r.state("b", ask.Withdrawn)
}

// TestOvertaken checks that a call that ran before its answer came counts as settled at the
// terminal, whatever the answer says.
func TestOvertaken(t *testing.T) {
	for _, c := range []struct {
		name  string
		allow bool
		took  time.Duration
		state ask.State
	}{
		{"allowed too late", true, time.Minute, ask.Withdrawn},
		{"denied too late", false, time.Minute, ask.Withdrawn},
		{"allowed at the same time", true, 6 * time.Second, ask.Delivered},
		{"denied at the same time", false, 5 * time.Second, ask.Withdrawn},
		{"allowed in time", true, time.Second, ask.Delivered},
		{"denied, and it ran later by itself", false, time.Second, ask.Delivered},
	} {
		r := newRig(t)
		r.see("s", "/p")
		r.openAsk(newAsk("a", "x"))
		r.pass(time.Minute)
		_, err := r.Answer("a", ask.Decision{Allow: c.allow, By: "Ada"})
		r.ok(err)
		_, err = r.ClaimAsk("a", false)
		r.ok(err)
		r.pass(5 * time.Second)
		o := ran("x")
		o.Run.Took = c.took
		r.ok(r.Ran(o))
		if a := r.state("a", c.state); c.state == ask.Withdrawn &&
			(a.Ending() != "answered at the terminal" || a.Run == nil) {
			t.Errorf("%s: %s", c.name, a.Ending())
		}
	}
}
