package core_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ran returns the outcome of a call of the session s.
func ran(input string) ask.Outcome {
	a := newAsk("", input)
	return ask.Outcome{Session: "s", Tool: a.Tool, Hash: a.Hash, Run: ask.Run{OK: true, Took: time.Second}}
}

func TestAskLife(t *testing.T) {
	r := newRig(t)
	r.pair()
	v := r.see("s", "/home/ada/proj")
	head := r.head()
	a := r.openAsk(newAsk("a", "x"))
	if a.State != ask.Open || a.Nonce == "" || a.Shown || !a.OpenedAt.Equal(t0) {
		t.Errorf("have %+v", a)
	}
	if v, _ := r.Session("s"); v.State != session.Waiting {
		t.Errorf("the session is %s", v.State)
	}
	if got := r.drain(phone); len(got) != 0 {
		t.Errorf("the phone rings before the grace: %+v", got)
	}
	r.pass(session.Grace)
	r.same("the card", []store.Action{{
		Key:  "phone/card:a",
		Lane: phone,
		Kind: core.ActCard,
		Data: "a",
		Due:  t0.Add(session.Grace),
		Gen:  1,
	}}, utc(r.drain(phone)))
	done := make(chan ask.Ask)
	go func() { got, _ := r.AwaitAsk(t.Context(), "a"); done <- got }()
	answered, err := r.Answer("a", yes("Ada"))
	r.ok(err)
	if got := <-done; got.State != ask.Answered || !got.Decision.Allow || !got.Decision.At.Equal(r.time()) {
		t.Errorf("the waiting hook got %+v", got)
	}
	if late, err := r.Answer("a", ask.Decision{By: "Eve"}); !errors.Is(err, ask.ErrSettled) ||
		late.Ending() != answered.Ending() {
		t.Errorf("a second answer: %v, %s", err, late.Ending())
	}
	claimed, err := r.ClaimAsk("a", false)
	if err != nil || claimed.State != ask.Delivered {
		t.Errorf("have %s, %v", claimed.State, err)
	}
	if again, err := r.ClaimAsk("a", false); err != nil || again.State != ask.Delivered {
		t.Errorf("a redial claims again: %s, %v", again.State, err)
	}
	r.ok(r.Ran(ran("x")))
	r.ok(r.Ran(ran("x"))) // the same call later: no second end
	if a := r.state("a", ask.Delivered); a.Outcome() != "ran ok, 1.0 s" {
		t.Errorf("the outcome is %q", a.Outcome())
	}
	r.same("journal", []string{"ask.opened a", "ask.answered a", "ask.delivered a", "ask.ran a"}, r.kinds(head))
	events, err := r.store.Journal(head, 9, "", false)
	r.ok(err)
	want := v.Token + ": Bash x (sha256 xxxxxxxx): allowed by Ada at 12:00:20, ran ok, 1.0 s"
	if events[3].Text != want {
		t.Errorf("the journal says %q, want %q", events[3].Text, want)
	}
	if cards := r.drain(phone); len(cards) != 1 || cards[0].Gen != 4 {
		t.Errorf("the card follows the ask: %+v", cards)
	}
}

func utc(actions []store.Action) []store.Action {
	for i := range actions {
		actions[i].Due = actions[i].Due.UTC()
	}
	return actions
}

func TestFirstAnswerWins(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	results := make(chan error, 20)
	for i := range cap(results) {
		go func() {
			_, err := r.Answer("a", ask.Decision{Allow: i%2 == 0, By: string(rune('a' + i))})
			results <- err
		}()
	}
	won := 0
	for range cap(results) {
		if err := <-results; err == nil {
			won++
		} else if !errors.Is(err, ask.ErrSettled) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d answers won", won)
	}
}

// TestRestartInEveryState checks that every ask survives the death of the coordinator
// unchanged.
func TestRestartInEveryState(t *testing.T) {
	steps := map[ask.State]func(r *rig){
		ask.Open:     func(*rig) {},
		ask.Answered: func(r *rig) { _, err := r.Answer("a", yes("Ada")); r.ok(err) },
		ask.Delivered: func(r *rig) {
			_, err := r.Answer("a", yes("Ada"))
			r.ok(err)
			_, err = r.ClaimAsk("a", false)
			r.ok(err)
		},
		ask.Withdrawn: func(r *rig) { r.ok(r.LocallySettled("s", t0.Add(time.Second))) },
		ask.Expired:   func(r *rig) { r.pass(ask.AttendedFor) },
		ask.Cancelled: func(r *rig) { _, err := r.CancelAsk("a", "Esc"); r.ok(err) },
	}
	for state, step := range steps {
		t.Run(string(state), func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.see("s", "/p")
			r.openAsk(newAsk("a", "x"))
			step(r)
			before := r.state("a", state)
			r.restart()
			after := r.state("a", state)
			waits := state == ask.Open || state == ask.Answered
			if waits != after.LostAt.Equal(r.time()) {
				t.Errorf("the hook may dial again from %s on", after.LostAt)
			}
			after.LostAt = before.LostAt
			r.same("the ask", before, after)
			again := r.openAsk(newAsk("a", "x")) // the hook dials again with its id
			if again.State != state || again.Nonce != before.Nonce || !again.LostAt.IsZero() {
				t.Errorf("the redial got %+v", again)
			}
			r.pass(ask.RedialFor)
			r.state("a", state)
		})
	}
}

func TestNobodyDialsAgain(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("open", "x"))
	r.openAsk(newAsk("answered", "y"))
	_, err := r.Answer("answered", yes("Ada"))
	r.ok(err)
	r.restart()
	r.pass(ask.RedialFor - 1)
	r.state("open", ask.Open)
	head := r.head()
	r.pass(1)
	r.state("open", ask.Withdrawn)
	ended := r.kinds(head)
	slices.Sort(ended)
	r.same("journal", []string{"ask.ended answered", "ask.ended open"}, ended)
	if a := r.state("answered", ask.Withdrawn); !strings.HasPrefix(a.Ending(), "not delivered: allowed by Ada") {
		t.Errorf("have %q", a.Ending())
	}
}

func TestLoseAsk(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	lose := func() { _, err := r.LoseAsk("a"); r.ok(err) }
	lose()
	r.pass(ask.RedialFor - 1)
	r.state("a", ask.Open)
	_, err := r.AttachAsk("a")
	r.ok(err)
	r.pass(time.Minute)
	r.state("a", ask.Open)
	lose()
	r.pass(ask.RedialFor)
	r.state("a", ask.Withdrawn)
	if _, err := r.Answer("a", yes("Ada")); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("a late answer: %v", err)
	}
}

// TestAskIsBound checks that the id of an ask cannot be used for another call.
func TestAskIsBound(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	first := r.openAsk(newAsk("a", "x"))
	_, err := r.Answer("a", yes("Ada"))
	r.ok(err)
	for name, change := range map[string]func(*ask.Ask){
		"input":   func(a *ask.Ask) { a.Hash = strings.Repeat("y", 64) },
		"tool":    func(a *ask.Ask) { a.Tool = "Write" },
		"session": func(a *ask.Ask) { a.Session = "other" },
	} {
		other := newAsk("a", "x")
		change(&other)
		if got, err := r.OpenCovered(other, grant.Need{}); !errors.Is(err, core.ErrBound) || got.Decision != nil {
			t.Errorf("another %s got %+v, %v", name, got.Decision, err)
		}
	}
	if got := r.openAsk(newAsk("a", "x")); got.Nonce != first.Nonce || got.Decision == nil {
		t.Errorf("the same call got %+v", got)
	}
}

func TestUnknownAsk(t *testing.T) {
	r := newRig(t)
	for name, f := range map[string]func(ask.ID) (ask.Ask, error){
		"Ask": r.Ask, "Claim": func(id ask.ID) (ask.Ask, error) { return r.ClaimAsk(id, false) },
		"Attach": r.AttachAsk, "Lose": r.LoseAsk,
		"Answer": func(id ask.ID) (ask.Ask, error) { return r.Answer(id, yes("Ada")) },
		"Cancel": func(id ask.ID) (ask.Ask, error) { return r.CancelAsk(id, "x") },
		"Await":  func(id ask.ID) (ask.Ask, error) { return r.AwaitAsk(t.Context(), id) },
	} {
		if _, err := f("none"); !errors.Is(err, core.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgottenAsk checks that an ask that was dropped from memory still gets an accurate
// answer.
func TestForgottenAsk(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	_, err := r.CancelAsk("a", "Esc")
	r.ok(err)
	r.pass(8 * 24 * time.Hour)
	r.restart()
	if got := r.Asks(true); len(got) != 0 {
		t.Fatalf("memory holds %+v", got)
	}
	if a, err := r.Answer("a", yes("Ada")); !errors.Is(err, ask.ErrSettled) || a.Ending() != "Esc" {
		t.Errorf("have %q, %v", a.Ending(), err)
	}
}

func TestAwaitEnds(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := r.AwaitAsk(ctx, "a"); err != nil || a.State != ask.Open {
		t.Errorf("have %s, %v", a.State, err)
	}
}

// TestAway checks when asks leave the terminal.
func TestAway(t *testing.T) {
	rings := func(r *rig) bool { return len(r.drain(phone)) > 0 }
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want bool
	}{
		{"on: at once", func(r *rig) { r.ok(r.SetAway("", session.On, 0)); r.openAsk(newAsk("a", "x")) }, true},
		{"auto: not yet", func(r *rig) { r.openAsk(newAsk("a", "x")); r.pass(session.Grace - 1) }, false},
		{"auto: after the grace", func(r *rig) { r.openAsk(newAsk("a", "x")); r.pass(session.Grace) }, true},
		{"auto: typing postpones", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			r.pass(session.Grace - 1)
			r.ok(r.Typed("s", ""))
			r.pass(session.Grace - 1)
		}, false},
		{"auto: and postpones only", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			r.pass(session.Grace - 1)
			r.ok(r.Typed("s", ""))
			r.pass(session.Grace)
		}, true},
		{"typing elsewhere postpones nothing", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			r.pass(session.Grace - 1)
			r.ok(r.Typed("other", ""))
			r.pass(1)
		}, true},
		{"off: never", func(r *rig) {
			r.ok(r.SetAway("", session.Off, 0))
			r.openAsk(newAsk("a", "x"))
			r.pass(ask.AttendedFor - 1)
		}, false},
		{"off for a session alone", func(r *rig) {
			r.ok(r.SetAway("", session.On, 0))
			r.ok(r.SetAway("s", session.Off, 0))
			r.openAsk(newAsk("a", "x"))
		}, false},
		{"on for another session", func(r *rig) {
			r.see("other", "/o")
			r.ok(r.SetAway("other", session.On, 0))
			r.openAsk(newAsk("a", "x"))
		}, false},
		{"turned on while it waits", func(r *rig) { r.openAsk(newAsk("a", "x")); r.ok(r.SetAway("", session.On, 0)) },
			true},
		{"turned off while it waits", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			r.ok(r.SetAway("s", session.Off, 0))
			r.pass(time.Minute)
		}, false},
		{"off has an end, and the ask waits for it", func(r *rig) {
			r.ok(r.SetAway("", session.Off, time.Minute))
			r.openAsk(newAsk("a", "x"))
			r.pass(time.Minute + session.Grace - 1)
		}, false},
		{"off has ended", func(r *rig) {
			r.ok(r.SetAway("", session.Off, time.Minute))
			r.openAsk(newAsk("a", "x"))
			r.pass(time.Minute)
			r.pass(session.Grace)
		}, true},
		{"a subagent's: at once", func(r *rig) { a := newAsk("a", "x"); a.Agent = "sub"; r.openAsk(a) }, true},
		{"nobody there: at once", func(r *rig) { a := newAsk("a", "x"); a.Attended = false; r.openAsk(a) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.see("s", "/p")
			c.do(r)
			if got := rings(r); got != c.want {
				t.Errorf("the phone rings: %t", got)
			}
		})
	}
}

func TestSetAwayRefuses(t *testing.T) {
	r := newRig(t)
	if err := r.SetAway("nobody", session.On, 0); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("have %v", err)
	}
}

// TestAwayEndsAnAsk checks that an ask that has expired when the mode changes ends like any
// other.
func TestAwayEndsAnAsk(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	head := r.head()
	r.now = t0.Add(ask.AttendedFor)
	r.ok(r.SetAway("", session.On, 0))
	r.state("a", ask.Expired)
	r.same("journal", []string{"away.set all", "ask.ended a"}, r.kinds(head))
}

func TestLocallySettled(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.see("other", "/o")
	sub, guard, elsewhere, old := newAsk("sub", "x"), newAsk("guard", "x"), newAsk("elsewhere", "x"), newAsk("old", "x")
	sub.Agent, guard.Kind, elsewhere.Session = "sub", ask.Guard, "other"
	for _, a := range []ask.Ask{sub, guard, elsewhere, old, newAsk("answered", "y")} {
		r.openAsk(a)
	}
	_, err := r.Answer("answered", yes("Ada"))
	r.ok(err)
	r.pass(time.Second)
	r.openAsk(newAsk("new", "x"))
	r.ok(r.LocallySettled("s", t0.Add(time.Second)))
	for id, want := range map[string]ask.State{
		"old": ask.Withdrawn, "new": ask.Open, "sub": ask.Open, "guard": ask.Open, "elsewhere": ask.Open,
		"answered": ask.Answered,
	} {
		r.state(id, want)
	}
	if a := r.state("old", ask.Withdrawn); a.Ending() != "answered at the terminal" {
		t.Errorf("have %q", a.Ending())
	}
}

// TestRan checks which ask belongs to a finished call.
func TestRan(t *testing.T) {
	had := func(r *rig) (out []string) {
		for _, a := range r.Asks(true) {
			if a.Run != nil {
				out = append(out, string(a.ID))
			}
		}
		return out
	}
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want []string
	}{
		{"parallel calls never cross", func(r *rig) {
			r.openAsk(newAsk("x", "x"))
			r.openAsk(newAsk("y", "y"))
			r.ok(r.Ran(ran("y")))
		}, []string{"y"}},
		{"of the same, the oldest", func(r *rig) {
			r.openAsk(newAsk("first", "x"))
			r.pass(1)
			r.openAsk(newAsk("second", "x"))
			r.ok(r.Ran(ran("x")))
		}, []string{"first"}},
		{"then the next", func(r *rig) {
			r.openAsk(newAsk("first", "x"))
			r.pass(1)
			r.openAsk(newAsk("second", "x"))
			r.ok(r.Ran(ran("x")))
			r.ok(r.Ran(ran("x")))
		}, []string{"first", "second"}},
		{"one that was allowed goes before one that was settled somehow", func(r *rig) {
			r.openAsk(newAsk("refused there", "x"))
			r.pass(1)
			r.ok(r.LocallySettled("s", r.time()))
			r.openAsk(newAsk("allowed", "x"))
			_, err := r.Answer("allowed", yes("Ada"))
			r.ok(err)
			_, err = r.ClaimAsk("allowed", false)
			r.ok(err)
			r.ok(r.Ran(ran("x")))
		}, []string{"allowed"}},
		{"not one that was denied", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			_, err := r.Answer("a", ask.Decision{By: "Ada"})
			r.ok(err)
			r.pass(time.Minute)
			r.ok(r.Ran(ran("x")))
		}, nil},
		{"not one that was cancelled", func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			_, err := r.CancelAsk("a", "Esc")
			r.ok(err)
			r.ok(r.Ran(ran("x")))
		}, nil},
		{"not of another agent", func(r *rig) {
			a := newAsk("a", "x")
			a.Agent = "sub"
			r.openAsk(a)
			r.ok(r.Ran(ran("x")))
		}, nil},
		{"not of another tool", func(r *rig) {
			a := newAsk("a", "x")
			a.Tool = "Write"
			r.openAsk(a)
			r.ok(r.Ran(ran("x")))
		}, nil},
		{"not of another session", func(r *rig) {
			a := newAsk("a", "x")
			a.Session = "other"
			r.openAsk(a)
			r.ok(r.Ran(ran("x")))
		}, nil},
		{"not of another prompt", func(r *rig) {
			a := newAsk("a", "x")
			a.Prompt = "p1"
			r.openAsk(a)
			o := ran("x")
			o.Prompt = "p2"
			r.ok(r.Ran(o))
		}, nil},
		{"a subagent's at another prompt, for it outlives the one it began at", func(r *rig) {
			a := newAsk("a", "x")
			a.Prompt, a.Agent = "p1", "sub"
			r.openAsk(a)
			o := ran("x")
			o.Prompt, o.Agent = "p2", "sub"
			r.ok(r.Ran(o))
		}, []string{"a"}},
		{"of the same prompt", func(r *rig) {
			a := newAsk("a", "x")
			a.Prompt = "p1"
			r.openAsk(a)
			o := ran("x")
			o.Prompt = "p1"
			r.ok(r.Ran(o))
		}, []string{"a"}},
		{"no ask at all", func(r *rig) { r.ok(r.Ran(ran("x"))) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.see("s", "/p")
			c.do(r)
			r.same("asks that ran", c.want, had(r))
		})
	}
}

// TestRanSettles checks that an open ask whose tool ran counts as answered at the terminal.
func TestRanSettles(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	r.ok(r.Ran(ran("x")))
	a := r.state("a", ask.Withdrawn)
	if a.Ending() != "answered at the terminal" || a.Outcome() != "ran ok, 1.0 s" {
		t.Errorf("have %q, %q", a.Ending(), a.Outcome())
	}
	if v, _ := r.Session("s"); v.State != session.Working || v.Tools != 1 {
		t.Errorf("the session is %s with %d tools", v.State, v.Tools)
	}
}

// TestRun lets real time pass in a bubble. The single timer must fire at each due time.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		r.pair()
		r.see("s", "/p")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go r.Run(ctx)
		start := time.Now()
		r.openAsk(newAsk("a", "x"))
		time.Sleep(session.Grace - 1)
		synctest.Wait()
		if r.state("a", ask.Open).Shown {
			t.Error("the card went out too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if !r.state("a", ask.Open).Shown {
			t.Error("the card did not go out")
		}
		a, err := r.AwaitAsk(ctx, "a")
		if err != nil || a.State != ask.Expired || time.Since(start) != ask.AttendedFor {
			t.Errorf("%s after %s, %v", a.State, time.Since(start), err)
		}
		r.openAsk(newAsk("b", "y"))
		_, err = r.LoseAsk("b")
		r.ok(err)
		start = time.Now()
		if b, err := r.AwaitAsk(ctx, "b"); err != nil || b.State != ask.Withdrawn ||
			time.Since(start) != ask.RedialFor {
			t.Errorf("%s after %s, %v", b.State, time.Since(start), err)
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestRunAfterSleep checks the state after the machine slept for hours: asks that were due
// have ended, and permissions that were due are over.
func TestRunAfterSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var slept atomic.Int64
		r.clock = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		r.see("s", "/p")
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		r.openAsk(newAsk("a", "x"))
		given := newAsk("g", "y")
		given.Offer = &ask.Offer{Rules: grant.Narrowest(grant.Need{Tool: "Bash",
			Commands: [][]string{{"make", "lint"}}})}
		r.openAsk(given)
		_, err := r.Answer("g", ask.Decision{Allow: true, Scope: ask.Session, By: "Ann", Channel: phone})
		r.ok(err)
		if n := len(r.Grants()); n != 1 {
			t.Fatalf("%d grants", n)
		}
		time.Sleep(time.Minute)
		slept.Store(int64(3 * time.Hour))
		time.Sleep(31 * time.Second)
		synctest.Wait()
		r.state("a", ask.Expired)
		if n := len(r.Grants()); n != 0 {
			t.Errorf("%d grants outlived their hour", n)
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestWallClock checks that no stored time depends on how long the machine was awake.
func TestWallClock(t *testing.T) {
	r := newRig(t)
	r.clock = time.Now
	if a := r.openAsk(newAsk("a", "x")); a.ExpiresAt != a.ExpiresAt.Round(0) {
		t.Errorf("have %s", a.ExpiresAt)
	}
}

// TestRunReleases checks that the timer also fires at the end of an away mode.
func TestRunReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		r.see("s", "/p")
		r.ok(r.SetAway("s", session.Off, time.Minute))
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		r.openAsk(newAsk("a", "x"))
		time.Sleep(time.Minute + session.Grace)
		synctest.Wait()
		if !r.state("a", ask.Open).Shown {
			t.Error("the ask stayed at the terminal")
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestRunGoesOn checks that a commit that fails is tried again after a while.
func TestRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		r.see("s", "/p")
		r.openAsk(newAsk("a", "x"))
		r.raw(`CREATE TRIGGER no BEFORE UPDATE ON asks BEGIN SELECT RAISE(ABORT, 'forced'); END`)
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(session.Grace + 10*time.Second)
		synctest.Wait()
		if r.state("a", ask.Open).Shown {
			t.Error("it was not committed")
		}
		r.raw(`DROP TRIGGER no`)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !r.state("a", ask.Open).Shown {
			t.Error("nobody tried again")
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestReportOlder: a report has the questions that were asked before its time and settled in it, and none that was
// settled before.
func TestReportOlder(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for _, id := range []string{"ask_before", "ask_in"} {
		r.openAsk(newAsk(id, id))
	}
	answer := func(id ask.ID) {
		t.Helper()
		_, err := r.Answer(id, yes("Ada"))
		r.ok(err)
		_, err = r.ClaimAsk(id, false)
		r.ok(err)
		r.pass(time.Second)
	}
	answer("ask_before")
	since := r.time()
	answer("ask_in")
	have, err := r.Report(since)
	r.ok(err)
	if len(have.Asks) != 1 || have.Asks[0].ID != "ask_in" {
		t.Errorf("it has %+v", have.Asks)
	}
}
