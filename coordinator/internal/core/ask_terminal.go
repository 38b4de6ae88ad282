package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// askedBefore is how long before the host's file says so the ask about a dialog may be opened.
const askedBefore = 5 * time.Second

// Unasked reports whether a dialog that a session shows since a time is one that no hook was asked
// about.
func (c *Core) Unasked(id session.ID, since time.Time) (v session.Session, unasked bool) {
	c.view(func(s *state, _ time.Time) {
		v = s.sessions.Rows[id]
		unasked = s.unasked(v, since)
	})
	return v, unasked
}

func (s *state) unasked(v session.Session, since time.Time) bool {
	return v.State != session.Idle && v.Protected() && v.Interactive() && !s.settings.Paused &&
		!slices.ContainsFunc(s.asks.of(v.ID), func(a ask.Ask) bool {
			return a.Waiting() && !a.Aside() || a.Dialog() && a.OpenedAt.After(since.Add(-askedBefore))
		})
}

// AskAtTerminal tells the person of a dialog that a session shows since a time, and that only the
// terminal can answer.
func (c *Core) AskAtTerminal(a ask.Ask, since time.Time) error {
	return c.do(func(s *draft) error {
		if !s.unasked(s.sessions.Rows[a.Session], since) {
			return nil
		}
		a.Nonce, a.Times = c.cfg.Secret(), s.cfg.Rules.Times
		a = ask.Start(a, s.mode(a.Session, s.now), since)
		a = ask.Tick(a, s.now)
		s.putAsk(a)
		text := s.token(a.Session) + ": a dialog waits at the terminal, which alone can answer it: " + a.Tool
		s.record(event.AskOpened, a.Session, string(a.ID), text)
		return nil
	})
}

// DialogOver notes that a session shows no dialog any more.
func (c *Core) DialogOver(id session.ID) error {
	return c.do(func(s *draft) error {
		for _, a := range s.asks.of(id) {
			if a.Kind == ask.Terminal && a.State == ask.Open {
				s.endAsk(a, ask.Local, "answered at the terminal")
			}
		}
		return nil
	})
}
