package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// byLoop is who writes to a run for its loop.
const byLoop = "its loop"

// label names a session for people: run:NAME if it is the conversation of a run, else its
// token.
func (s *state) label(b *store.Batch, id session.ID) string {
	if r, ok := s.runOf(b, id); ok {
		return "run:" + r.Name
	}
	return s.token(id)
}

// A waking returns what a loop tells its idle run, see loop.Wake.
type waking func(l loop.Stack, now time.Time) (loop.Stack, string)

// wakeRun gives the run of a session a turn if it has none and its loop has something to tell
// it. It reports whether it did.
func (s *state) wakeRun(b *store.Batch, id session.ID, wake waking, now time.Time) bool {
	r, ok := s.runOf(b, id)
	if !ok || !r.Settled() || s.settingsAfter(b).Paused {
		return false
	}
	l, _ := s.loops.After(b, id)
	next, text := wake(l, now)
	if text == "" {
		return false
	}
	s.loops.Put(b, next)
	key := fmt.Sprintf("loop:%s:%d", next.RunID, now.UnixNano())
	s.post(b, message.Message{Key: key, Session: id, Text: text, By: byLoop}, now)
	return true
}

// resumeRuns wakes the runs whose loops a pause of Afar had stopped.
func (s *state) resumeRuns(b *store.Batch, now time.Time) {
	for id, l := range s.loops.Rows {
		if l.Active() {
			s.wakeRun(b, id, loop.WakeResumed, now)
		}
	}
}

// turnOver deals with the loop of a run whose turn is over. It ends with a run that failed. A
// run that is idle gets its next turn, or the person is told that the loop rests.
func (s *state) turnOver(b *store.Batch, r run.Run, now time.Time) {
	id := session.ID(r.Conversation)
	l, _ := s.loops.After(b, id)
	switch {
	case !l.Active():
	case r.State == run.Failed:
		if out, err := loop.Fail(l, "its run failed: "+r.Why, now); err == nil {
			s.putLoop(b, id, out, now)
		}
	case r.State != run.Idle, s.settingsAfter(b).Paused, l.Waits(), s.wakeRun(b, id, loop.Wake, now):
	default:
		if l, text := loop.Leave(l); text != "" {
			s.loops.Put(b, l)
			s.notify(b, "loop-left", id, channel.News{Kind: channel.LoopSays, Of: "run:" + r.Name, What: text}, now)
		}
	}
}

// StartLoopBeside begins a loop in a new run that is set up as another one is, or in the run
// that was made so before and has no loop now.
func (c *Core) StartLoopBeside(made run.Run, o loop.Options) (r run.Run, err error) {
	frame := c.cfg.Secret()[:8]
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		r = run.Rest(made, now)
		if old, known := s.runs.byName.One(made.Name); known {
			r = old
		} else {
			s.runs.Put(&b, r)
		}
		id := session.ID(r.Conversation)
		if r.Beside != made.Beside || s.loops.Rows[id].Active() {
			return store.Batch{}, fmt.Errorf("a run with the name %s: %w", made.Name, ErrTaken)
		}
		_, err = s.beginLoop(&b, id, frame, o, now)
		r, _ = s.runs.After(&b, r.ID)
		return b, err
	})
	return r, err
}

// LoopHolds reports whether the Stop hook of a run waits for its loop: for an errand or a
// check, which no clock of the turn counts.
func (c *Core) LoopHolds(r run.Run) (holds bool) {
	c.view(func(s *state, _ time.Time) { holds = s.loops.Rows[session.ID(r.Conversation)].Holds() })
	return holds
}
