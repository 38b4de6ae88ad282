package core_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

func needs(command string) grant.Need {
	return grant.Need{Tool: "Bash", Commands: [][]string{strings.Fields(command)}}
}

// covered opens an ask for a command, with its offer.
func (r *rig) covered(id string, s session.ID, command string) ask.Ask {
	r.t.Helper()
	a := newAsk(id, command+" ")
	a.Session, a.Offer = s, &ask.Offer{Rules: grant.Narrowest(needs(command))}
	a, err := r.OpenCovered(a, needs(command))
	r.ok(err)
	return a
}

func (r *rig) give(id, command string) {
	r.t.Helper()
	r.covered(id, "s", command)
	d := yes("Ada")
	d.Scope = ask.Session
	_, err := r.Answer(ask.ID(id), d)
	r.ok(err)
}

func TestGrantAnswers(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.see("t", "/p")
	r.ok(r.SetAway("", session.On, 0))
	r.give("ask_a", "git commit -m x")
	r.drain(phone)
	head := r.head()
	for i, again := range []bool{false, true} {
		if again {
			r.restart()
		}
		id := []string{"ask_b", "ask_c"}[i]
		a := r.covered(id, "s", "git commit --amend")
		if a.State != ask.Delivered || !a.Decision.Allow || a.Decision.Channel != "grant" {
			t.Fatalf("have %+v", a)
		}
		if got := r.drain(phone); len(got) != 0 {
			t.Errorf("the phone rings: %+v", got)
		}
		if a := r.covered(id, "s", "git commit --amend"); a.State != ask.Delivered || !a.Decision.Allow {
			t.Errorf("the hook that did not get our reply gets %+v", a)
		}
	}
	r.same("journal", []string{"ask.opened ask_b", "ask.answered ask_b", "ask.delivered ask_b"}, r.kinds(head)[:3])
	loses := needs("git commit --amend")
	loses.Loses = true
	if a, err := r.OpenCovered(newAsk("ask_g", "git commit --amend"), loses); err != nil || a.State != ask.Answered {
		t.Errorf("what is to be kept first is %s, %v", a.State, err)
	}
	if a, err := r.ClaimAsk("ask_g", false); err != nil || a.State != ask.Delivered {
		t.Errorf("the hook gets %+v, %v", a, err)
	}
	for id, c := range map[string]struct {
		session session.ID
		command string
	}{"ask_d": {"t", "git commit -m x"}, "ask_e": {"s", "git push"}} {
		if a := r.covered(id, c.session, c.command); a.State != ask.Open {
			t.Errorf("%+v is %s", c, a.State)
		}
	}
	if a, err := r.OpenCovered(newAsk("ask_f", "git commit -m x "), grant.Need{}); err != nil || a.State != ask.Open {
		t.Errorf("a call that nobody understood is %s, %v", a.State, err)
	}
}

func TestGrantEnds(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"its hour":    func(r *rig) { r.pass(grant.For) },
		"its session": func(r *rig) { r.ok(r.EndSession("s", "other")) },
		"revoked": func(r *rig) {
			_, err := r.Revoke("grant_a", "Ada")
			r.ok(err)
		},
		"revoked, and a restart": func(r *rig) {
			_, err := r.Revoke("grant_a", "Ada")
			r.ok(err)
			r.restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.see("s", "/p")
			r.give("ask_a", "git commit -m x")
			if g := r.Grants(); len(g) != 1 || g[0].Text() != "git commit …" ||
				!g[0].ExpiresAt.Equal(t0.Add(time.Hour)) {
				t.Fatalf("have %+v", g)
			}
			end(r)
			if g := r.Grants(); len(g) != 0 {
				t.Errorf("have %+v", g)
			}
			if a := r.covered("ask_b", "s", "git commit -m x"); a.State != ask.Open {
				t.Errorf("the call is %s", a.State)
			}
			if _, err := r.Revoke("grant_a", "Ada"); !errors.Is(err, core.ErrNotFound) {
				t.Errorf("revoked once more: %v", err)
			}
			if all := strings.Join(r.kinds(0), "\n"); !strings.Contains(all, "grant.given grant_a") ||
				!strings.Contains(all, "grant.ended grant_a") {
				t.Errorf("the journal has\n%s", all)
			}
		})
	}
}

// TestScopeIsOffered checks that an answer never covers more than the card offered.
func TestScopeIsOffered(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("ask_a", "x"))
	for _, scope := range []ask.Scope{ask.Session, ask.Always} {
		d := yes("Ada")
		d.Scope = scope
		if _, err := r.Answer("ask_a", d); !errors.Is(err, ask.ErrScope) {
			t.Errorf("%s: %v", scope, err)
		}
	}
	r.state("ask_a", ask.Open)
	if len(r.Grants()) != 0 {
		t.Error("something was granted")
	}
}

func (r *rig) park(id, input string) ask.Ask {
	r.t.Helper()
	a, err := r.Park(newAsk(id, input))
	r.ok(err)
	return a
}

func TestParkAndLease(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	a := r.park("ask_a", "x")
	if a.State != ask.Expired || !a.Parked || !a.Shown || len(r.drain(phone)) != 1 {
		t.Fatalf("have %+v", a)
	}
	if again := r.park("ask_b", "x"); again.ID != "ask_a" || len(r.drain(phone)) != 0 {
		t.Errorf("parked twice: %+v", again)
	}
	_, err := r.Answer("ask_a", yes("Ada"))
	r.ok(err)
	if late, err := r.Answer("ask_a", ask.Decision{By: "Eve"}); !errors.Is(err, ask.ErrSettled) ||
		!strings.Contains(late.Ending(), "allowed by Ada") {
		t.Errorf("a second answer: %v, %s", err, late.Ending())
	}
	r.restart()
	text, err := r.TellLate("s", "hook", 4000)
	r.ok(err)
	if !strings.Contains(text, "may run once until 13:00: Bash: x") {
		t.Errorf("the session is told %q", text)
	}
	if again, err := r.TellLate("s", "hook", 4000); again != text || err != nil {
		t.Errorf("the hook that lost our reply is told %q, %v", again, err)
	}
	if text, err := r.TellLate("s", "hook-2", 4000); text != "" || err != nil {
		t.Errorf("another hook is told again: %q, %v", text, err)
	}
	if other := r.park("ask_c", "y"); other.State != ask.Expired {
		t.Errorf("another call is %s", other.State)
	}
	if next := r.park("ask_d", "x"); next.State != ask.Answered || next.Decision.Channel != "lease" {
		t.Errorf("the next try is %+v", next)
	}
	if a, err := r.ClaimAsk("ask_d", false); err != nil || a.State != ask.Delivered {
		t.Errorf("have %s, %v", a.State, err)
	}
	r.ok(r.Ran(ran("x")))
	if a, err := r.Ask("ask_a"); err != nil || !strings.HasPrefix(a.Outcome(), "ran ok") ||
		!strings.Contains(a.Ending(), "used at") {
		t.Errorf("the card says %q, %q, %v", a.Ending(), a.Outcome(), err)
	}
	if third := r.park("ask_e", "x"); third.State != ask.Expired {
		t.Errorf("a lease counted twice: %s", third.State)
	}
}

// TestExpiredStaysAnswerable checks that an ask that was not answered in time is parked, and
// that a later yes allows the next try within an hour.
func TestExpiredStaysAnswerable(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  ask.State
	}{"in time": {ask.LeaseFor - time.Second, ask.Answered}, "too late": {ask.LeaseFor, ask.Open}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.see("s", "/p")
			a := newAsk("ask_a", "x")
			a.Attended = false
			r.openAsk(a)
			r.pass(ask.UnattendedFor)
			if a := r.state("ask_a", ask.Expired); !a.Parked {
				t.Fatalf("have %+v", a)
			}
			_, err := r.Answer("ask_a", yes("Ada"))
			r.ok(err)
			r.pass(c.after)
			if got := r.openAsk(newAsk("ask_b", "x")); got.State != c.want {
				t.Errorf("the next try is %s, want %s", got.State, c.want)
			}
		})
	}
}

func TestParkedIsForgotten(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.park("ask_a", "x")
	r.pass(ask.ParkedFor)
	if _, err := r.Answer("ask_a", yes("Ada")); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("a day later: %v", err)
	}
	r.park("ask_b", "y")
	_, err := r.Answer("ask_b", ask.Decision{By: "Ada", Message: "Use make."})
	r.ok(err)
	if a := r.park("ask_c", "y"); a.State != ask.Expired {
		t.Errorf("a refusal became a %s", a.State)
	}
	if text, err := r.TellLate("s", "hook", 4000); err != nil || !strings.Contains(text, "refused") ||
		!strings.Contains(text, "Use make.") {
		t.Errorf("told %q, %v", text, err)
	}
}

// TestOldestGrant: grants are listed in the order in which they were given, and the oldest of those that cover a call
// is named as what allowed it.
func TestOldestGrant(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.covered("ask_b", "s", "git commit -m x")
	r.pass(time.Minute)
	r.covered("ask_a", "s", "git commit -m y")
	for _, id := range []ask.ID{"ask_b", "ask_a"} {
		d := yes("Ada")
		d.Scope = ask.Session
		_, err := r.Answer(id, d)
		r.ok(err)
		r.pass(time.Minute)
	}
	if g := r.Grants(); len(g) != 2 || g[0].ID != "grant_b" || g[1].ID != "grant_a" {
		t.Errorf("have %+v", g)
	}
	if a := r.covered("ask_c", "s", "git commit -m z"); a.Decision == nil || !strings.Contains(a.Decision.By, "grant_b") {
		t.Errorf("the call was allowed by %+v", a.Decision)
	}
}
