package core_test

import (
	"encoding/binary"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/turn"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// StopLoop returns the step of a session's loop at a stop.
func (r *rig) StopLoop(id session.ID, in loop.Stopping) (loop.Outcome, error) {
	r.t.Helper()
	out, err := r.Stop(core.Stopping{Session: id, Loop: in})
	if out.Step == nil {
		return loop.Outcome{}, err
	}
	return *out.Step, err
}

// CheckIn stops the session of a check-in with it. It returns whether the check-in was opened.
func (r *rig) CheckIn(a ask.Ask, holder session.Process) (bool, error) {
	out, err := r.Stop(core.Stopping{
		Session: a.Session, Terminal: true, Hold: time.Minute, CheckIn: a, Holder: holder, Delivery: string(a.ID),
	})
	return out.CheckIn, err
}

// ParkedFor returns how long an unattended session waits when it stops. News that come first
// are taken.
func (r *rig) ParkedFor(id session.ID) time.Duration {
	r.t.Helper()
	_, err := r.See(session.Sighting{ID: id, KnowAtt: true})
	r.ok(err)
	out, err := r.Stop(core.Stopping{Session: id, Delivery: "first"})
	r.ok(err)
	if out.Rule == turn.News {
		out, err = r.Stop(core.Stopping{Session: id, Delivery: "second"})
		r.ok(err)
	}
	return out.Parked
}

// stopsWith stops a session while these background shells run.
func (r *rig) stopsWith(id session.ID, shells ...string) turn.Outcome {
	r.t.Helper()
	out, err := r.Stop(core.Stopping{Session: id, Shells: shells})
	r.ok(err)
	return out
}

// commits counts the transactions in SQLite's log: only the last frame of a transaction
// contains the size of the database.
func (r *rig) commits() (n int) {
	r.t.Helper()
	log, err := os.ReadFile(r.path + "-wal")
	r.ok(err)
	const header, frameHeader = 32, 24
	page := int(binary.BigEndian.Uint32(log[8:]))
	for at := header; at+frameHeader <= len(log); at += frameHeader + page {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			n++
		}
	}
	return n
}

// TestStopIsOneCommit checks that everything that follows from a stop is one transaction, so
// that a crash cannot leave half of it.
func TestStopIsOneCommit(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *rig)
		stop    core.Stopping
		want    turn.Rule
	}{
		"a loop rests for a shell": {func(r *rig) {
			_, err := r.StartLoop("s", loop.Options{Task: "x", Max: 3})
			r.ok(err)
		}, core.Stopping{Shells: []string{"1"}, Loop: loop.Stopping{Spent: usage.Sum{USD: 1}}}, turn.Background},
		"a loop goes on": {func(r *rig) {
			_, err := r.StartLoop("s", loop.Options{Task: "x", Max: 3})
			r.ok(err)
		}, core.Stopping{Loop: loop.Stopping{Spent: usage.Sum{USD: 1}}}, turn.Loop},
		"a loop ends, and its person is away": {func(r *rig) {
			r.ok(r.SetAway("", session.On, 0))
			_, err := r.StartLoop("s", loop.Options{Task: "x", Max: 3})
			r.ok(err)
		}, core.Stopping{
			Terminal: true, Hold: time.Minute, CheckIn: ask.NewCheckIn("c", "s", "done", "/p"),
			Loop: loop.Stopping{Message: "<loop-done>COMPLETE</loop-done>"},
		}, turn.CheckIn},
		"a review is due, and a dialog was left open": {func(r *rig) {
			r.openAsk(newAsk("a", "x"))
			r.pass(time.Second)
			r.ok(r.SetReview("s", true, "before"))
		}, core.Stopping{Work: "after"}, turn.Review},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.pair()
			r.see("s", "/p")
			c.prepare(r)
			before := r.commits()
			c.stop.Session, c.stop.Delivery = "s", "d"
			out, err := r.Stop(c.stop)
			r.ok(err)
			if n := r.commits() - before; out.Rule != c.want || n != 1 {
				t.Errorf("decided by %s with %d commits, want %s and 1", out.Rule, n, c.want)
			}
		})
	}
}

// TestStopAwaitsTheReport checks that a stop waits for the report of a hook that has just ended,
// and so does not bring the text that the hook printed once more.
func TestStopAwaitsTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taker := session.Process{PID: 4711, Born: "then"}
		r := newRig(t)
		r.see("s", "/p")
		r.ok(r.write(core.Press{Decision: ask.Decision{By: "Ada"}, Text: "use the blue one"}))
		_, err := r.Deliver("s", "prompt", taker)
		r.ok(err)
		r.dead[taker] = true
		go func() {
			time.Sleep(100 * time.Millisecond)
			r.ok(r.TextsPrinted("s", "prompt", true))
		}()
		in := core.Stopping{Session: "s", Delivery: "stop"}
		_, err = r.StopNeeds(in)
		r.ok(err)
		out, err := r.Stop(in)
		r.ok(err)
		if out.Texts != 0 || r.Messages()[0].State != message.Done {
			t.Errorf("decided by %s, %+v", out.Rule, r.Messages())
		}
	})
}

// TestStopAfterATakerDied checks that a text that a hook took and did not print is ready for
// the next stop, however soon that comes.
func TestStopAfterATakerDied(t *testing.T) {
	taker := session.Process{PID: 4711, Born: "then"}
	for _, died := range []bool{true, false} {
		r := newRig(t)
		r.see("s", "/p")
		r.ok(r.write(core.Press{Decision: ask.Decision{By: "Ada"}, Text: "use the blue one"}))
		_, err := r.Deliver("s", "batch", taker)
		r.ok(err)
		r.dead[taker] = died
		in := core.Stopping{Session: "s", Delivery: "stop"}
		_, err = r.StopNeeds(in)
		r.ok(err)
		out, err := r.Stop(in)
		r.ok(err)
		if waits := out.Texts == 1; waits != died {
			t.Errorf("the hook that took it has ended: %t; decided by %s", died, out.Rule)
		}
	}
}
