package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// byLoop is who writes to a run for its loop.
const byLoop = "its loop"

// Label names a session for people: run:NAME if it is the conversation of a run, else its
// token.
func (s *Draft) Label(id session.ID) string {
	if r, ok := s.RunOf(id); ok {
		return "run:" + r.Name
	}
	return s.Token(id)
}

// A waking returns what a loop tells its idle run, see loop.Wake.
type waking func(l loop.Stack, now time.Time) (loop.Stack, string)

// wakeRun gives the run of a session a turn if it has none and its loop has something to tell
// it. It reports whether it did.
func (s *Draft) wakeRun(id session.ID, wake waking) bool {
	r, ok := s.RunOf(id)
	if !ok || !r.Settled() || s.settingsAfter().Paused {
		return false
	}
	l, _ := s.Loops.After(s.Batch, id)
	next, text := wake(l, s.Now)
	if text == "" {
		return false
	}
	s.Loops.Put(s.Batch, next)
	key := fmt.Sprintf("loop:%s:%d", next.RunID, s.Now.UnixNano())
	s.Post(message.Message{Key: key, Session: id, Text: text, By: byLoop})
	return true
}

// resumeRuns wakes the runs whose loops a pause of Afar had stopped.
func (s *Draft) resumeRuns() {
	for id, l := range s.Loops.Rows {
		if l.Active() {
			s.wakeRun(id, loop.WakeResumed)
		}
	}
}

// turnOver deals with the loop of a run whose turn is over. It ends with a run that failed. A
// run that is idle gets its next turn, or the person is told that the loop rests.
func (s *Draft) turnOver(r run.Run) {
	id := session.ID(r.Conversation)
	l, _ := s.Loops.After(s.Batch, id)
	switch {
	case !l.Active():
	case r.State == run.Failed:
		if out, err := loop.Fail(l, "its run failed: "+r.Why, s.Now); err == nil {
			s.PutLoop(id, out)
		}
	case r.State != run.Idle, s.settingsAfter().Paused, l.Waits(), s.wakeRun(id, loop.Wake):
	default:
		if l, text := loop.Leave(l); text != "" {
			s.Loops.Put(s.Batch, l)
			s.Notify("loop-left", id, channel.News{Kind: channel.LoopSays, Of: "run:" + r.Name, What: text})
		}
	}
}

// StartLoopBeside begins a loop in a new run that is set up as another one is, or in the run
// that was made so before and has no loop now.
func (c *Core) StartLoopBeside(made run.Run, o loop.Options) (r run.Run, err error) {
	frame := c.cfg.Secret()[:8]
	err = c.Do(func(s *Draft) (err error) {
		r = run.Rest(made, s.Now)
		if old, known := s.Runs.ByName.One(made.Name); known {
			r = old
		} else {
			s.Runs.Put(s.Batch, r)
		}
		id := session.ID(r.Conversation)
		if r.Beside != made.Beside || s.Loops.Rows[id].Active() {
			return fmt.Errorf("a run with the name %s: %w", made.Name, ErrTaken)
		}
		_, err = s.beginLoop(id, frame, o)
		r, _ = s.Runs.After(s.Batch, r.ID)
		return err
	})
	return r, err
}

// LoopHolds reports whether the Stop hook of a run waits for its loop: for an errand or a
// check, which no clock of the turn counts.
func (c *Core) LoopHolds(r run.Run) (holds bool) {
	c.View(func(s *State, _ time.Time) { holds = s.Loops.Rows[session.ID(r.Conversation)].Holds() })
	return holds
}
