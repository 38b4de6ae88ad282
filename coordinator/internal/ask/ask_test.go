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

// opened is an attended permission ask of the main agent, opened at t0 in auto.
func opened() ask.Ask {
	a := ask.Ask{ID: "a", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "ls", Hash: strings.Repeat("0", 64), Attended: true}
	return ask.Start(a, session.Auto, t0)
}

// states returns an ask in each state, as the steps bring it there.
func states(t *testing.T) map[ask.State]ask.Ask {
	t.Helper()
	answered, err := ask.Answer(opened(), yes(t0.Add(time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	return map[ask.State]ask.Ask{
		ask.Open:      opened(),
		ask.Answered:  answered,
		ask.Delivered: ask.Claim(answered),
		ask.Withdrawn: ask.Local(opened(), "answered at the terminal", t0.Add(time.Second)),
		ask.Expired:   ask.Tick(opened(), t0.Add(ask.AttendedFor)),
		ask.Cancelled: ask.Cancel(opened(), "Esc", t0.Add(time.Second)),
	}
}

// TestTransitions is the whole table: what each step makes of each state.
func TestTransitions(t *testing.T) {
	later := t0.Add(time.Minute)
	steps := []struct {
		name string
		do   func(ask.Ask) ask.Ask
		// what becomes of open, answered, delivered, withdrawn, expired, cancelled
		want [6]ask.State
	}{
		{"answer", func(a ask.Ask) ask.Ask { a, _ = ask.Answer(a, no(later)); return a },
			[6]ask.State{ask.Answered, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"claim", ask.Claim,
			[6]ask.State{ask.Open, ask.Delivered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"local", func(a ask.Ask) ask.Ask { return ask.Local(a, "there", later) },
			[6]ask.State{ask.Withdrawn, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"cancel", func(a ask.Ask) ask.Ask { return ask.Cancel(a, "No", later) },
			[6]ask.State{ask.Cancelled, ask.Cancelled, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"ran", func(a ask.Ask) ask.Ask { return ask.Ran(a, ask.Run{OK: true, At: later}, later) },
			[6]ask.State{ask.Withdrawn, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"attach", ask.Attach,
			[6]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"lose", func(a ask.Ask) ask.Ask { return ask.Lose(a, later) },
			[6]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"lose, and nobody dials again", func(a ask.Ask) ask.Ask { return ask.Tick(ask.Lose(a, later), later.Add(ask.RedialFor)) },
			[6]ask.State{ask.Withdrawn, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"lose, and dialled again in time", func(a ask.Ask) ask.Ask { return ask.Tick(ask.Attach(ask.Lose(a, later)), later.Add(ask.RedialFor)) },
			[6]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"remode", func(a ask.Ask) ask.Ask { return ask.Remode(a, session.On, later) },
			[6]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"tick in time", func(a ask.Ask) ask.Ask { return ask.Tick(a, later) },
			[6]ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"tick at the end", func(a ask.Ask) ask.Ask { return ask.Tick(a, t0.Add(ask.AttendedFor)) },
			[6]ask.State{ask.Expired, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"undelivered", func(a ask.Ask) ask.Ask { return ask.Undelivered(a, later) },
			[6]ask.State{ask.Open, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"undelivered, from a hook that gives receipts", func(a ask.Ask) ask.Ask { return ask.Undelivered(ask.Claimed(a), later) },
			[6]ask.State{ask.Open, ask.Withdrawn, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"printed", func(a ask.Ask) ask.Ask { return ask.Undelivered(ask.Printed(ask.Claimed(a)), later) },
			[6]ask.State{ask.Open, ask.Delivered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"printed, known late", func(a ask.Ask) ask.Ask { return ask.Printed(ask.Undelivered(ask.Claimed(a), later)) },
			[6]ask.State{ask.Open, ask.Delivered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
		{"No before the answer is printed", func(a ask.Ask) ask.Ask { return ask.Undelivered(ask.Cancel(ask.Claimed(a), "No", later), later) },
			[6]ask.State{ask.Cancelled, ask.Cancelled, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}},
	}
	order := []ask.State{ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled}
	for _, step := range steps {
		for i, from := range order {
			t.Run(step.name+" of "+string(from), func(t *testing.T) {
				before := states(t)[from]
				after := step.do(before)
				if after.State != step.want[i] {
					t.Errorf("became %s, want %s", after.State, step.want[i])
				}
				sound(t, before, after)
			})
		}
	}
}

// sound holds a step against what is true of every ask.
func sound(t *testing.T, before, after ask.Ask) {
	t.Helper()
	final := before.State != ask.Open && before.State != ask.Answered
	if final && (after.Decision != before.Decision || !after.SettledAt.Equal(before.SettledAt) || after.Note != before.Note) {
		t.Errorf("a settled ask changed: %+v became %+v", before, after)
	}
	if (after.State == ask.Open) != after.SettledAt.IsZero() {
		t.Errorf("%s with the end %s", after.State, after.SettledAt)
	}
	if (after.State == ask.Answered || after.State == ask.Delivered) != (after.Decision != nil) {
		t.Errorf("%s with the decision %v", after.State, after.Decision)
	}
	if after.How() == "" {
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
	silent := ask.Cancel(opened(), "", t0)
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
		{"attended, auto", ask.Ask{Kind: ask.Permission, Attended: true}, session.Auto, 30 * time.Minute, 20 * time.Second, false},
		{"attended, on", ask.Ask{Kind: ask.Permission, Attended: true}, session.On, 30 * time.Minute, 0, true},
		{"attended, off", ask.Ask{Kind: ask.Permission, Attended: true}, session.Off, 30 * time.Minute, -1, false},
		{"a subagent's has no dialog", ask.Ask{Kind: ask.Permission, Attended: true, Agent: "x"}, session.Auto, 45 * time.Second, 0, true},
		{"the guard's has no dialog", ask.Ask{Kind: ask.Guard, Attended: true}, session.Auto, 30 * time.Minute, 0, true},
		{"nobody sits there", ask.Ask{Kind: ask.Permission}, session.Auto, 10 * time.Minute, 0, true},
		{"nobody sits there, a subagent", ask.Ask{Kind: ask.Permission, Agent: "x"}, session.Auto, 10 * time.Minute, 0, true},
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
		{"the end, attended", opened(), ask.AttendedFor, ask.Expired, false, "nobody answered in time; the question is now at the terminal alone"},
		{"the end, unattended", unattended, ask.UnattendedFor, ask.Expired, true, "nobody answered in time, so the call was not run"},
		{"the end of an answer that nobody took", answered, ask.AttendedFor, ask.Withdrawn, false, "not delivered"},
		{"an answer has no card to come", answered, session.Grace, ask.Answered, false, ""},
		{"just before the redial is over", ask.Lose(opened(), t0), ask.RedialFor - 1, ask.Open, false, ""},
		{"the redial is over", ask.Lose(opened(), t0), ask.RedialFor, ask.Withdrawn, false, "the session's hook went away"},
		{"the redial is over, with an answer", ask.Lose(answered, t0), ask.RedialFor, ask.Withdrawn, false, "not delivered"},
		{"lost and over at once", ask.Lose(opened(), t0), ask.AttendedFor, ask.Withdrawn, false, "the session's hook went away"},
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
	if got := ask.Lose(a, t0).Next().Sub(t0); got != ask.RedialFor {
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
	later := t0.Add(time.Minute)
	if a := ask.Remode(opened(), session.On, later); !a.CardAt.Equal(later) {
		t.Errorf("on: the card is due at %s", a.CardAt)
	}
	if a := ask.Remode(opened(), session.Off, later); !a.CardAt.IsZero() {
		t.Errorf("off: the card is due at %s", a.CardAt)
	}
	if a := ask.Remode(opened(), session.Auto, later); !a.CardAt.Equal(later.Add(session.Grace)) {
		t.Errorf("auto: the card is due at %s", a.CardAt)
	}
	shown := ask.Tick(opened(), t0.Add(session.Grace))
	if a := ask.Remode(shown, session.Off, later); !cmp.Equal(a, shown) {
		t.Errorf("what has left the terminal stays where it is: %s", cmp.Diff(shown, a))
	}
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
		{ask.Claim(denied), "not run"},
		{ask.Ran(all[ask.Delivered], ask.Run{OK: true, Took: 1240 * time.Millisecond}, t0), "ran ok, 1.2 s"},
		{ask.Ran(all[ask.Delivered], ask.Run{Took: time.Second}, t0), "failed, 1.0 s"},
		{ask.Ran(all[ask.Open], ask.Run{OK: true}, t0), "ran ok, 0 ms"},
		{all[ask.Withdrawn], ""},
	} {
		if got := c.a.Outcome(); got != c.want {
			t.Errorf("%s: have %q, want %q", c.a.State, got, c.want)
		}
	}
	first := ask.Ran(all[ask.Delivered], ask.Run{OK: true}, t0)
	if again := ask.Ran(first, ask.Run{}, t0); !again.Run.OK {
		t.Error("the first outcome stays")
	}
}

// TestStored: an ask survives its own JSON, as the store keeps it.
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

// TestLife runs any steps in any order and holds the life of an ask against
// its promises: exactly one end, no answer after it, no moment left behind.
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
	switch step := rapid.IntRange(0, 8).Draw(t, "step"); step {
	case 0, 1:
		answerable := a.State == ask.Open || a.Parked // a parked ask takes a late answer: a lease
		next, err := ask.Answer(a, ask.Decision{Allow: step == 0, By: "Ada", At: now})
		if answerable != (err == nil) {
			t.Fatalf("an answer to an ask that is %s: %v", a.State, err)
		}
		return next
	case 2:
		next := ask.Claim(a)
		if next.State == ask.Delivered && a.State != ask.Answered && a.State != ask.Delivered {
			t.Fatalf("an ask that was %s was delivered", a.State)
		}
		return next
	case 3:
		return ask.Local(a, "there", now)
	case 4:
		return ask.Cancel(a, "Esc", now)
	case 5:
		return ask.Ran(a, ask.Run{OK: true, At: now}, now)
	case 6:
		return ask.Lose(a, now)
	case 7:
		return ask.Remode(ask.Attach(a), mode.Draw(t, "mode"), now)
	}
	return ask.Tick(a, now)
}

func ExampleElide() {
	fmt.Println(ask.Elide(strings.Repeat("a", 60)+strings.Repeat("b", 60), 24))
	// Output:
	// aaaaaaaaaaaaaaaa
	// … 98 of 120 bytes left out …
	// bbbbbb
}
