package core_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// reminded counts the reminders that are due now.
func (r *rig) reminded() (n int) {
	r.t.Helper()
	for _, a := range r.drain(phone) {
		if a.Kind == core.ActRemind {
			n++
		}
	}
	return n
}

// TestRemind checks that a person who does not answer is reminded once, a fixed time after the
// question was sent to the phone.
func TestRemind(t *testing.T) {
	const after = 5 * time.Minute
	for name, c := range map[string]struct {
		prepare func(r *rig)
		want    int
	}{
		"open":      {func(r *rig) { r.openAsk(newAsk("a", "x")) }, 1},
		"parked":    {func(r *rig) { r.park("a", "x") }, 1},
		"answered":  {func(r *rig) { r.openAsk(newAsk("a", "x")); _, err := r.Answer("a", yes("Ada")); r.ok(err) }, 0},
		"withdrawn": {func(r *rig) { r.openAsk(newAsk("a", "x")); r.ok(r.EndSession("s", "exit")) }, 0},
		"a check-in": {func(r *rig) {
			_, err := r.CheckIn(ask.NewCheckIn("c", "s", "done", "/p"), session.Process{})
			r.ok(err)
		}, 0},
		"not shown":    {func(r *rig) { r.ok(r.SetAway("", session.Off, 0)); r.openAsk(newAsk("a", "x")) }, 0},
		"two":          {func(r *rig) { r.openAsk(newAsk("a", "x")); r.openAsk(newAsk("b", "y")) }, 2},
		"no such rule": {func(r *rig) { r.rules = core.Rules{}; r.restart(); r.openAsk(newAsk("a", "x")) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.rules.RemindAfter = after
			r.restart()
			r.pair()
			r.see("s", "/p")
			r.ok(r.SetAway("", session.On, 0))
			c.prepare(r)
			r.pass(after - time.Second)
			if n := r.reminded(); n != 0 {
				t.Errorf("too early: %d", n)
			}
			r.restart()
			for _, a := range r.Asks(false) {
				_, err := r.AttachAsk(a.ID) // its hook dials again
				r.ok(err)
			}
			r.pass(time.Second)
			if n := r.reminded(); n != c.want {
				t.Errorf("reminded %d times, want %d", n, c.want)
			}
			r.pass(after)
			if n := r.reminded(); n != 0 {
				t.Errorf("reminded again: %d", n)
			}
		})
	}
}

// TestRemindPaused checks that nobody is reminded while Afar is paused, and that the reminder
// comes afterwards.
func TestRemindPaused(t *testing.T) {
	r := newRig(t)
	r.rules.RemindAfter = time.Minute
	r.restart()
	r.pair()
	r.see("s", "/p")
	r.ok(r.SetAway("", session.On, 0))
	r.openAsk(newAsk("a", "x"))
	r.ok(r.Pause(true))
	r.pass(2 * time.Minute)
	if n := r.reminded(); n != 0 {
		t.Errorf("paused, reminded %d times", n)
	}
	r.ok(r.Pause(false))
	r.pass(0)
	if n := r.reminded(); n != 1 {
		t.Errorf("resumed, reminded %d times", n)
	}
}
