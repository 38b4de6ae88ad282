package ask_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func yes(at time.Time) ask.Decision {
	return ask.Decision{Allow: true, By: "Ada", Channel: "telegram", At: at}
}

func no(at time.Time) ask.Decision {
	return ask.Decision{By: "Ada", Message: "use the other branch", Channel: "terminal", At: at}
}

// opened returns an attended permission ask of the main agent, opened at t0 in mode auto.
func opened() ask.Ask {
	a := ask.Ask{
		ID:       "a",
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     "Bash",
		Text:     "ls",
		Hash:     strings.Repeat("0", 64),
		Attended: true,
	}
	return ask.Start(a, session.Auto, t0)
}

// must returns the ask of a step that must succeed.
func must(a ask.Ask, err error) ask.Ask {
	if err != nil {
		panic(err)
	}
	return a
}

// states returns an ask in each state, made by the steps that lead there.
func states(t *testing.T) map[ask.State]ask.Ask {
	t.Helper()
	answered := must(ask.Answer(opened(), yes(t0.Add(time.Second))))
	return map[ask.State]ask.Ask{
		ask.Open:      opened(),
		ask.Answered:  answered,
		ask.Delivered: must(ask.Claim(answered)),
		ask.Withdrawn: must(ask.Local(opened(), "answered at the terminal", t0.Add(time.Second))),
		ask.Expired:   ask.Tick(opened(), t0.Add(ask.AttendedFor)),
		ask.Cancelled: must(ask.Cancel(opened(), "Esc", t0.Add(time.Second))),
	}
}

// A step is one transition, or several in a row.
type step func(ask.Ask) (ask.Ask, error)

// inTurn returns a step that makes several steps. The first one that is refused ends it.
func inTurn(steps ...step) step {
	return func(before ask.Ask) (ask.Ask, error) {
		a := before
		for _, do := range steps {
			next, err := do(a)
			if err != nil {
				return before, err
			}
			a = next
		}
		return a, nil
	}
}

// later is the time of the steps in the tables.
var later = t0.Add(time.Minute)

func lose(a ask.Ask) (ask.Ask, error)   { return ask.Lose(a, later) }
func attach(a ask.Ask) (ask.Ask, error) { return ask.Attach(a), nil }
func cancel(a ask.Ask) (ask.Ask, error) { return ask.Cancel(a, "No", later) }
func run(a ask.Ask) (ask.Ask, error)    { return ask.Ran(a, ask.Run{OK: true, At: later}, later) }
func undelivered(a ask.Ask) (ask.Ask, error) {
	return ask.Undelivered(a, later)
}

func tickAt(at time.Time) step {
	return func(a ask.Ask) (ask.Ask, error) { return ask.Tick(a, at), nil }
}

// refused means in a table that the step returns an error and does not change the ask.
const refused ask.State = ""

// TestTransitions checks the result of each step in each state.
func TestTransitions(t *testing.T) {
	const (
		open, answered, delivered     = ask.Open, ask.Answered, ask.Delivered
		withdrawn, expired, cancelled = ask.Withdrawn, ask.Expired, ask.Cancelled
	)
	from := []ask.State{open, answered, delivered, withdrawn, expired, cancelled}
	none := [6]ask.State{}
	for _, step := range []struct {
		name string
		do   step
		want [6]ask.State // what becomes of each of from
	}{
		{"answer", func(a ask.Ask) (ask.Ask, error) { return ask.Answer(a, no(later)) }, [6]ask.State{answered}},
		{"claim", ask.Claim, [6]ask.State{refused, delivered, delivered}},
		{"claim, to be printed", ask.Claimed, [6]ask.State{refused, delivered, delivered}},
		{"local", func(a ask.Ask) (ask.Ask, error) { return ask.Local(a, "there", later) },
			[6]ask.State{withdrawn, withdrawn}},
		{"cancel", cancel, [6]ask.State{cancelled, cancelled}},
		{"ran", run, [6]ask.State{withdrawn, withdrawn, delivered, withdrawn, expired, cancelled}},
		{"ran twice", inTurn(run, run), none},
		{"attach", attach, [6]ask.State{open, answered, delivered, withdrawn, expired, cancelled}},
		{"lose", lose, [6]ask.State{open, answered}},
		{"lose, and nobody dials again", inTurn(lose, tickAt(later.Add(ask.RedialFor))),
			[6]ask.State{withdrawn, withdrawn}},
		{"lose, and dialled again in time", inTurn(lose, attach, tickAt(later.Add(ask.RedialFor))),
			[6]ask.State{open, answered}},
		{"remode", func(a ask.Ask) (ask.Ask, error) { return ask.Remode(a, session.On, later) }, [6]ask.State{open}},
		{"tick in time", tickAt(later), [6]ask.State{open, answered, delivered, withdrawn, expired, cancelled}},
		{"tick at the end", tickAt(t0.Add(ask.AttendedFor)),
			[6]ask.State{expired, withdrawn, delivered, withdrawn, expired, cancelled}},
		{"doubt", func(a ask.Ask) (ask.Ask, error) { return ask.Doubt(a, true) }, [6]ask.State{open}},
		{"undelivered", undelivered, [6]ask.State{refused, withdrawn}},
		{"undelivered, from a hook that gives receipts", inTurn(ask.Claimed, undelivered),
			[6]ask.State{refused, withdrawn}},
		{"printed", inTurn(ask.Claimed, ask.Printed), [6]ask.State{refused, delivered, delivered}},
		{"printed, and then undelivered", inTurn(ask.Claimed, ask.Printed, undelivered), none},
		{"printed, known late", inTurn(ask.Claimed, undelivered, ask.Printed), [6]ask.State{refused, delivered}},
		{"printed, the claim is lost", ask.Printed, [6]ask.State{refused, delivered, delivered}},
		{"No before the answer is printed", inTurn(ask.Claimed, cancel), [6]ask.State{refused, cancelled}},
		{"No, and then undelivered", inTurn(ask.Claimed, cancel, undelivered), none},
		{"hand", func(a ask.Ask) (ask.Ask, error) { return ask.Hand(a, "there", later) }, none},
		{"use", func(a ask.Ask) (ask.Ask, error) { return ask.Use(a, later) }, none},
		{"tell", func(a ask.Ask) (ask.Ask, error) { return ask.Tell(a, "hook") }, none},
		{"untell", func(a ask.Ask) (ask.Ask, error) { return ask.Untell(a, "hook") }, none},
		{"overruled", ask.Overruled, none},
		{"ran after all", func(a ask.Ask) (ask.Ask, error) { return ask.RanAfterAll(a, ask.Run{}) }, none},
		{"join", func(a ask.Ask) (ask.Ask, error) { return ask.Join(a, ask.Ask{State: open}) }, none},
	} {
		for i, from := range from {
			t.Run(step.name+" of "+string(from), func(t *testing.T) {
				before := states(t)[from]
				after, err := step.do(before)
				if step.want[i] == refused {
					refuses(t, before, after, err)
				} else if err != nil || after.State != step.want[i] {
					t.Errorf("became %s, want %s: %v", after.State, step.want[i], err)
				}
				sound(t, before, after)
			})
		}
	}
}

// refuses checks that a refused step returned an error and did not change the ask.
func refuses(t *testing.T, before, after ask.Ask, err error) {
	t.Helper()
	if !errors.Is(err, ask.ErrState) && !errors.Is(err, ask.ErrSettled) {
		t.Errorf("became %s, want an error: %v", after.State, err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("a step that does not fit changed the ask: %s", diff)
	}
}

// TestLeases checks each step on an answer that came late or was not delivered.
func TestLeases(t *testing.T) {
	unattended := opened()
	unattended.Attended = false
	parked := ask.Tick(ask.Start(unattended, session.Auto, t0), t0.Add(ask.UnattendedFor))
	late := must(ask.Answer(parked, yes(later)))
	told := must(ask.Tell(late, "hook"))
	lost := must(ask.Undelivered(states(t)[ask.Answered], later))
	untell := func(a ask.Ask) (ask.Ask, error) { return ask.Untell(a, "hook") }
	use := func(a ask.Ask) (ask.Ask, error) { return ask.Use(a, later) }
	for _, c := range []struct {
		name string
		a    ask.Ask
		do   step
		fits bool
	}{
		{"use", late, use, true},
		{"use twice", late, inTurn(use, use), false},
		{"use too late", late, func(a ask.Ask) (ask.Ask, error) { return ask.Use(a, later.Add(ask.LeaseFor)) }, false},
		{"use of what was not delivered", lost, use, true},
		{"tell", late, func(a ask.Ask) (ask.Ask, error) { return ask.Tell(a, "hook") }, true},
		{"tell again by the same", told, func(a ask.Ask) (ask.Ask, error) { return ask.Tell(a, "hook") }, true},
		{"tell again by another", told, func(a ask.Ask) (ask.Ask, error) { return ask.Tell(a, "other") }, false},
		{"untell", told, untell, true},
		{"untell by another", told, func(a ask.Ask) (ask.Ask, error) { return ask.Untell(a, "other") }, false},
		{"untell what was never told", late, untell, false},
		{"untell what was used", told, inTurn(use, untell), false},
		{"overrule what was not delivered", lost, ask.Overruled, true},
		{"overrule what came late", late, ask.Overruled, false},
		{"ran after all", lost, func(a ask.Ask) (ask.Ask, error) { return ask.RanAfterAll(a, ask.Run{}) }, true},
		{"ran after all, late", late, func(a ask.Ask) (ask.Ask, error) { return ask.RanAfterAll(a, ask.Run{}) }, false},
		{"claimed after all", lost, ask.Claimed, true},
		{"claimed late", late, ask.Claimed, false},
		{"remode, parked and shown", parked,
			func(a ask.Ask) (ask.Ask, error) { return ask.Remode(a, session.On, later) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, err := c.do(c.a)
			if !c.fits {
				refuses(t, c.a, after, err)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// sound checks what must hold for every ask after every step.
func sound(t *testing.T, before, after ask.Ask) {
	t.Helper()
	final := before.State != ask.Open && before.State != ask.Answered
	if final && (after.Decision != before.Decision || !after.SettledAt.Equal(before.SettledAt) ||
		after.Note != before.Note) {
		t.Errorf("a settled ask changed: %+v became %+v", before, after)
	}
	if (after.State == ask.Open) != after.SettledAt.IsZero() {
		t.Errorf("%s with the end %s", after.State, after.SettledAt)
	}
	if (after.State == ask.Answered || after.State == ask.Delivered) != (after.Decision != nil) {
		t.Errorf("%s with the decision %v", after.State, after.Decision)
	}
	if after.Ending() == "" {
		t.Errorf("nothing to say about %+v", after)
	}
}

func TestErrSettled(t *testing.T) {
	for from, want := range map[ask.State]string{
		ask.Answered:  "already settled: allowed by Ada at 12:00:01",
		ask.Delivered: "already settled: allowed by Ada at 12:00:01",
		ask.Withdrawn: "already settled: answered at the terminal",
		ask.Expired:   "already settled: nobody answered in time; the question is now at the terminal alone",
		ask.Cancelled: "already settled: Esc",
	} {
		before := states(t)[from]
		after, err := ask.Answer(before, no(t0.Add(time.Minute)))
		if !errors.Is(err, ask.ErrSettled) || err.Error() != want {
			t.Errorf("%s: have %q, want %q", from, err, want)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: a late answer changed the ask: %s", from, diff)
		}
	}
	silent := must(ask.Cancel(opened(), "", t0))
	if _, err := ask.Answer(silent, yes(t0)); err == nil || err.Error() != "already settled: cancelled" {
		t.Errorf("an end without a note: %v", err)
	}
}

func TestStart(t *testing.T) {
	for _, c := range []struct {
		name           string
		a              ask.Ask
		mode           session.Mode
		lives, card    time.Duration // card -1: never
		shownAtTheOpen bool
	}{
		{"attended, auto", ask.Ask{Kind: ask.Permission, Attended: true}, session.Auto, 30 * time.Minute,
			20 * time.Second, false},
		{"attended, on", ask.Ask{Kind: ask.Permission, Attended: true}, session.On, 30 * time.Minute, 0, true},
		{"attended, off", ask.Ask{Kind: ask.Permission, Attended: true}, session.Off, 30 * time.Minute, -1, false},
		{"a subagent's has no dialog", ask.Ask{Kind: ask.Permission, Attended: true, Agent: "x"}, session.Auto,
			45 * time.Second, 0, true},
		{"the guard's has no dialog", ask.Ask{Kind: ask.Guard, Attended: true}, session.Auto,
			30 * time.Minute, 0, true},
		{"nobody sits there", ask.Ask{Kind: ask.Permission}, session.Auto, 10 * time.Minute, 0, true},
		{"nobody sits there, a subagent", ask.Ask{Kind: ask.Permission, Agent: "x"}, session.Auto,
			10 * time.Minute, 0, true},
		{"nobody sits there, off", ask.Ask{Kind: ask.Permission}, session.Off, 10 * time.Minute, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask.Start(c.a, c.mode, t0)
			if a.State != ask.Open || !a.OpenedAt.Equal(t0) || a.ExpiresAt.Sub(t0) != c.lives {
				t.Errorf("have %s until %s", a.State, a.ExpiresAt)
			}
			if c.card < 0 != a.CardAt.IsZero() || c.card >= 0 && a.CardAt.Sub(t0) != c.card {
				t.Errorf("the card is due at %s", a.CardAt)
			}
			if got := ask.Tick(a, t0).Shown; got != c.shownAtTheOpen {
				t.Errorf("shown at once: %t", got)
			}
		})
	}
}

func TestTick(t *testing.T) {
	answered, _ := ask.Answer(opened(), yes(t0.Add(time.Second)))
	unattended := opened()
	unattended.Attended = false
	unattended = ask.Start(unattended, session.Auto, t0)
	for _, c := range []struct {
		name  string
		a     ask.Ask
		at    time.Duration
		state ask.State
		shown bool
		note  string
	}{
		{"just before the card", opened(), session.Grace - 1, ask.Open, false, ""},
		{"the card", opened(), session.Grace, ask.Open, true, ""},
		{"just before the end", opened(), ask.AttendedFor - 1, ask.Open, true, ""},
		{"the end, attended", opened(), ask.AttendedFor, ask.Expired, false,
			"nobody answered in time; the question is now at the terminal alone"},
		{"the end, unattended", unattended, ask.UnattendedFor, ask.Expired, true,
			"nobody answered in time, so the call was not run"},
		{"the end of an answer that nobody took", answered, ask.AttendedFor, ask.Withdrawn, false, "not delivered"},
		{"an answer has no card to come", answered, session.Grace, ask.Answered, false, ""},
		{"just before the redial is over", must(ask.Lose(opened(), t0)), ask.RedialFor - 1, ask.Open, false, ""},
		{"the redial is over", must(ask.Lose(opened(), t0)), ask.RedialFor, ask.Withdrawn, false,
			"the session's hook went away"},
		{"the redial is over, with an answer", must(ask.Lose(answered, t0)), ask.RedialFor, ask.Withdrawn, false,
			"not delivered"},
		{"lost and over at once", must(ask.Lose(opened(), t0)), ask.AttendedFor, ask.Withdrawn, false,
			"the session's hook went away"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask.Tick(c.a, t0.Add(c.at))
			if a.State != c.state || a.Shown != c.shown || a.Note != c.note {
				t.Errorf("have %s, shown %t, %q", a.State, a.Shown, a.Note)
			}
			if again := ask.Tick(a, t0.Add(c.at)); !cmp.Equal(a, again) {
				t.Errorf("a second tick at the same time changed it: %s", cmp.Diff(a, again))
			}
		})
	}
}

func TestNext(t *testing.T) {
	a := opened()
	if got := a.Next().Sub(t0); got != session.Grace {
		t.Errorf("first the card: %s", got)
	}
	if got := must(ask.Lose(a, t0)).Next().Sub(t0); got != ask.RedialFor {
		t.Errorf("first the redial: %s", got)
	}
	if got := ask.Tick(a, t0.Add(session.Grace)).Next().Sub(t0); got != ask.AttendedFor {
		t.Errorf("then the end: %s", got)
	}
	for state, a := range states(t) {
		if settled := state != ask.Open && state != ask.Answered; settled != a.Next().IsZero() {
			t.Errorf("%s changes by itself at %s", state, a.Next())
		}
	}
}

func TestRemode(t *testing.T) {
	if a := must(ask.Remode(opened(), session.On, later)); !a.CardAt.Equal(later) {
		t.Errorf("on: the card is due at %s", a.CardAt)
	}
	if a := must(ask.Remode(opened(), session.Off, later)); !a.CardAt.IsZero() {
		t.Errorf("off: the card is due at %s", a.CardAt)
	}
	if a := must(ask.Remode(opened(), session.Auto, later)); !a.CardAt.Equal(later.Add(session.Grace)) {
		t.Errorf("auto: the card is due at %s", a.CardAt)
	}
	shown := ask.Tick(opened(), t0.Add(session.Grace))
	a, err := ask.Remode(shown, session.Off, later)
	refuses(t, shown, a, err)
}

func TestOutcome(t *testing.T) {
	all := states(t)
	denied, _ := ask.Answer(opened(), no(t0))
	for _, c := range []struct {
		a    ask.Ask
		want string
	}{
		{all[ask.Open], ""},
		{all[ask.Answered], "waiting for the session to take the answer"},
		{all[ask.Delivered], ""}, // allowed, and nobody knows yet whether it ran
		{must(ask.Claim(denied)), "not run"},
		{must(ask.Ran(all[ask.Delivered], ask.Run{OK: true, Took: 1240 * time.Millisecond}, t0)), "ran ok, 1.2 s"},
		{must(ask.Ran(all[ask.Delivered], ask.Run{Took: time.Second}, t0)), "failed, 1.0 s"},
		{must(ask.Ran(all[ask.Open], ask.Run{OK: true}, t0)), "ran ok, 0 ms"},
		{all[ask.Withdrawn], ""},
	} {
		if got := c.a.Outcome(); got != c.want {
			t.Errorf("%s: have %q, want %q", c.a.State, got, c.want)
		}
	}
	first := must(ask.Ran(all[ask.Delivered], ask.Run{OK: true}, t0))
	again, err := ask.Ran(first, ask.Run{}, t0)
	refuses(t, first, again, err)
}

// TestStored checks that an ask does not change when it is stored as JSON.
func TestStored(t *testing.T) {
	for state, a := range states(t) {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back ask.Ask
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, back); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
	}
}

// TestLife makes any steps in any order. An ask must end exactly once, take no answer after
// its end, and handle every due time.
func TestLife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := t0
		a := ask.Ask{
			ID: "a", Kind: rapid.SampledFrom([]ask.Kind{ask.Permission, ask.Guard}).Draw(t, "kind"),
			Attended: rapid.Bool().Draw(t, "attended"), Agent: rapid.SampledFrom([]string{"", "x"}).Draw(t, "agent"),
		}
		mode := rapid.SampledFrom([]session.Mode{session.On, session.Off, session.Auto})
		a = ask.Start(a, mode.Draw(t, "mode"), now)
		var end ask.State
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "seconds")) * time.Second)
			a = anyStep(t, a, mode, now)
			if end != "" && a.State != end {
				t.Fatalf("an ask that was %s became %s", end, a.State)
			}
			if a.State != ask.Open && a.State != ask.Answered {
				end = a.State
			}
			if next := ask.Tick(a, now).Next(); !next.IsZero() && !next.After(now) {
				t.Fatalf("after a tick at %s it is still due at %s", now, next)
			}
		}
	})
}

func anyStep(t *rapid.T, a ask.Ask, mode *rapid.Generator[session.Mode], now time.Time) ask.Ask {
	waits := a.State == ask.Open || a.State == ask.Answered
	switch step := rapid.IntRange(0, 8).Draw(t, "step"); step {
	case 0, 1:
		answerable := a.State == ask.Open || a.Parked // a parked ask takes a late answer: a lease
		next, err := ask.Answer(a, ask.Decision{Allow: step == 0, By: "Ada", At: now})
		if answerable != (err == nil) {
			t.Fatalf("an answer to an ask that is %s: %v", a.State, err)
		}
		return next
	case 2:
		return fits(t, a, a.State == ask.Answered || a.State == ask.Delivered)(ask.Claim(a))
	case 3:
		return fits(t, a, waits)(ask.Local(a, "there", now))
	case 4:
		return fits(t, a, waits)(ask.Cancel(a, "Esc", now))
	case 5:
		return fits(t, a, a.Run == nil)(ask.Ran(a, ask.Run{OK: true, At: now}, now))
	case 6:
		return fits(t, a, waits)(ask.Lose(a, now))
	case 7:
		a = ask.Attach(a)
		return fits(t, a, !a.Shown && (a.State == ask.Open || a.Parked))(ask.Remode(a, mode.Draw(t, "mode"), now))
	}
	return ask.Tick(a, now)
}

// fits checks whether a step on any ask was rightly accepted or refused.
func fits(t *rapid.T, before ask.Ask, should bool) func(ask.Ask, error) ask.Ask {
	return func(after ask.Ask, err error) ask.Ask {
		if should != (err == nil) {
			t.Fatalf("a step of an ask that is %s: %v", before.State, err)
		}
		return after
	}
}

func ExampleElide() {
	fmt.Println(ask.Elide(strings.Repeat("a", 60)+strings.Repeat("b", 60), 24))
	// Output:
	// aaaaaaaaaaaaaaaa
	// … 98 of 120 bytes left out …
	// bbbbbb
}
