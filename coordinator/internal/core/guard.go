package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Denied notes in the journal that the guard denied a call, and returns how often the
// rule did so in the turn. It tells the person once per turn that a session keeps
// trying.
func (c *Core) Denied(id session.ID, turn, rule, text string) (times int, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		v, n := session.Deny(s.sessions.rows[id], turn, rule)
		times = n
		record(&b, event.GuardDenied, id, rule, text, now)
		if v.ID == "" {
			return b, nil
		}
		s.sessions.put(&b, v)
		if times == session.DenyLoop {
			s.denyLoop(&b, v, rule, now)
		}
		return b, nil
	})
	return times, err
}

func (s *state) denyLoop(b *store.Batch, v session.Session, rule string, now time.Time) {
	text := fmt.Sprintf("%s was denied %d times by %s in one turn and told to stop trying",
		v.Token, session.DenyLoop, rule)
	record(b, event.GuardLoop, v.ID, rule, text, now)
	if !s.settings.Paused {
		text := "⛔ " + v.Token + " tried " + rule + " " + fmt.Sprint(session.DenyLoop) + " times. " +
			"The guard refused each, and told it to write down what it needs."
		s.notify(b, "denied", v.ID, text, now)
	}
}

// PolicyBroken records what is wrong with the guard's policy files in a session. fresh
// is true if the person has not been told of it there.
func (c *Core) PolicyBroken(id session.ID, text string) (fresh bool, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		v, ok := s.sessions.rows[id]
		if fresh = ok && v.Broken != text; !fresh {
			return b, nil
		}
		v.Broken = text
		s.sessions.put(&b, v)
		record(&b, event.PolicyBroken, id, v.Token, v.Token+": "+text, now)
		if !s.settings.Paused {
			s.notify(&b, "policy", id, "⚠️ "+v.Token+": "+text, now)
		}
		return b, nil
	})
	return fresh, err
}
