package trigger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// A world is one trigger with its ledger, and a clock that a test moves.
type world struct {
	t     *testing.T
	r     trigger.Rule
	v     trigger.Trigger
	now   time.Time
	state map[string]trigger.State // of the firings, by key
}

func newWorld(t *testing.T, start string, lines ...string) *world {
	t.Helper()
	text := "# Rule\n\n- " + strings.Join(lines, "\n- ") + "\n- to: person\n\nDo it.\n"
	r, err := trigger.Parse("rule", text, time.LoadLocation)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, r: r, now: at(t, start), state: map[string]trigger.State{}}
	w.v = trigger.Trigger{Name: "rule"}.SwitchOn(text, "Ann", r, w.taken, w.now)
	return w
}

func (w *world) taken(key string) bool { s, ok := w.state[key]; return ok && s != trigger.Passed }

// look moves the clock, and returns what fires and what is missed, as hours and minutes of UTC.
func (w *world) look(to string) string {
	w.now = at(w.t, to)
	var s trigger.Step
	w.v, s = w.v.Advance(w.r, w.taken, w.now)
	var said []string
	note := func(word string, st trigger.State, all ...trigger.Instant) {
		for _, i := range all {
			if w.taken(i.Key) {
				w.t.Errorf("%s was dealt with before", i.Key)
			}
			w.state[i.Key] = st
			said = append(said, word+i.At.UTC().Format("15:04"))
		}
	}
	note("-", trigger.Passed, s.Missed...)
	note("+", trigger.Due, s.Fire...)
	if _, ok := s.Told(w.r); ok {
		said = append(said, "told")
	}
	if s.Older > 0 {
		said = append(said, fmt.Sprintf("older %d", s.Older))
	}
	if w.v.Next.Before(w.now) && !w.v.Next.IsZero() {
		w.t.Errorf("at %v the next instant is %v", w.now, w.v.Next)
	}
	return strings.Join(said, " ")
}

// TestAdvance: sleeps, restarts, clocks that are set, and the policies for what was missed. A
// look is a time and what follows: + fires, - was missed.
func TestAdvance(t *testing.T) {
	const day = "2026-11-23T"
	for _, c := range []struct {
		name, rule string
		looks      []string
	}{
		{"in time", "on: every 1h", []string{"11:00 +11:00", "12:00 +12:00"}},
		{"a restart within the same second", "on: every 1h", []string{"11:00 +11:00", "11:00", "11:00"}},
		{"13 seconds down", "on: cron 0 11 * * * UTC", []string{"11:00:13 +11:00"}},
		{"down all day", "on: cron 0 11 * * * UTC", []string{"23:00 +11:00"}},
		{"down all day, skip", "on: cron 0 11 * * * UTC\n- missed: skip", []string{"23:00 -11:00 told"}},
		{"4 minutes late counts as kept", "on: once 2026-11-23 11:00 UTC\n- missed: skip",
			[]string{"11:04 +11:00", "12:00"}},
		{"6 minutes late is missed", "on: once 2026-11-23 11:00 UTC\n- missed: skip",
			[]string{"11:06 -11:00 told", "12:00"}},
		{"6 minutes late with grace", "on: once 2026-11-23 11:00 UTC\n- missed: skip\n- grace: 10m",
			[]string{"11:06 +11:00"}},
		{"asked", "on: once 2026-11-23 11:00 UTC\n- missed: ask", []string{"11:06 -11:00 told", "12:00"}},
		{"asleep for hours", "on: every 1h", []string{"13:30 -11:00 -12:00 -13:00"}},
		{"asleep for hours, the last is in time", "on: every 1h", []string{"13:01 -11:00 -12:00 +13:00"}},
		{"asleep for hours, run", "on: every 1h\n- missed: run", []string{"13:30 -11:00 -12:00 +13:00"}},
		{"asleep for hours, each", "on: every 1h\n- missed: each", []string{"13:30 +11:00 +12:00 +13:00"}},
		{"no burst after a stall", "on: every 1m", []string{"10:04 -10:01 -10:02 -10:03 +10:04"}},
		{"the clock is set back", "on: every 1h", []string{"11:00 +11:00", "10:30", "11:00", "12:00 +12:00"}},
		{"a daily rule and a clock that is set back", "on: cron 0 11 * * * UTC",
			[]string{"11:00 +11:00", "10:00", "11:00", "11:30"}},
		{
			"what was missed by a wrong clock", "on: every 6h",
			[]string{"23:30 -16:00 -22:00", "15:00", "16:00 +16:00"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, day+"10:00:00Z", strings.Split(c.rule, "\n- ")...)
			for _, look := range c.looks {
				clock, want, _ := strings.Cut(look, " ")
				if len(clock) == 5 {
					clock += ":00"
				}
				if have := w.look(day + clock + "Z"); have != want {
					t.Errorf("at %s: have %q, want %q", clock, have, want)
				}
			}
		})
	}
}

// TestWrongYear: a clock that was a year ahead does not silence a rule when it is set right.
func TestWrongYear(t *testing.T) {
	w := newWorld(t, "2026-11-23T10:00:00Z", "on: cron 0 7 * * * Europe/Berlin")
	if have := w.look("2027-11-23T12:00:00Z"); !strings.HasSuffix(have, "+06:00 older 265") {
		t.Errorf("a year ahead: %q", have[max(0, len(have)-60):])
	}
	for _, look := range []struct{ at, want string }{
		{"2026-11-23T10:05:00Z", ""}, {"2026-11-24T06:00:00Z", "+06:00"}, {"2026-11-25T06:00:01Z", "+06:00"},
	} {
		if have := w.look(look.at); have != look.want {
			t.Errorf("at %s: have %q, want %q", look.at, have, look.want)
		}
	}
}

// TestLongSleep: a month of minutes is counted, and at most a hundred of them are listed. A
// jump by decades ends soon.
func TestLongSleep(t *testing.T) {
	for _, to := range []string{"2026-12-23T10:00:00Z", "2099-01-01T00:00:00Z"} {
		w := newWorld(t, "2026-11-23T10:00:00Z", "on: cron * * * * * UTC", "missed: each")
		begin := time.Now()
		have := w.look(to)
		if n := strings.Count(have, "+"); n != 100 || !strings.Contains(have, "older") {
			t.Errorf("%d fire", n)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
	}
}

// TestApproval: what is off or held has no instants, and what passes meanwhile is not dealt with.
func TestApproval(t *testing.T) {
	w := newWorld(t, "2026-11-23T10:00:00Z", "on: every 1h")
	w.v = w.v.Look("its file was changed", w.r, w.taken, w.now)
	if w.v.Live() || !w.v.Next.IsZero() {
		t.Errorf("held: %+v", w.v)
	}
	if _, _, err := w.v.Admit(10, true, w.now); !errors.Is(err, trigger.ErrOff) {
		t.Errorf("fired although it is held: %v", err)
	}
	w.v = w.v.Look("", w.r, w.taken, at(t, "2026-11-23T12:30:00Z"))
	if have := w.look("2026-11-23T13:00:00Z"); have != "+13:00" {
		t.Errorf("after it was held: %q", have)
	}
	off := w.v.SwitchOff()
	if off.Live() || !off.Next.IsZero() {
		t.Errorf("off: %+v", off)
	}
}

// TestLimit: the eleventh firing of a minute is refused, and says when there is room.
func TestLimit(t *testing.T) {
	w := newWorld(t, "2026-11-23T10:00:00Z", "on: manual")
	var err error
	for range 10 {
		if w.v, _, err = w.v.Admit(10, false, w.now); err != nil {
			t.Fatal(err)
		}
	}
	now := w.now.Add(20 * time.Second)
	_, wait, err := w.v.Admit(10, false, now)
	if !errors.Is(err, trigger.ErrLimit) || wait != 40*time.Second {
		t.Errorf("the eleventh: %v, %v", wait, err)
	}
	if _, _, err := w.v.Admit(10, false, now.Add(wait)); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}
