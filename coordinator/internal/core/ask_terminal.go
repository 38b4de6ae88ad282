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
	c.View(func(s *State, _ time.Time) {
		v = s.Sessions.Rows[id]
		unasked = s.unasked(v, since)
	})
	return v, unasked
}

func (s *State) unasked(v session.Session, since time.Time) bool {
	return v.State != session.Idle && v.Protected() && v.Interactive() && !s.Settings.Paused &&
		!slices.ContainsFunc(s.Asks.Of(v.ID), func(a ask.Ask) bool {
			return a.Waiting() && !a.Aside() || a.Dialog() && a.OpenedAt.After(since.Add(-askedBefore))
		})
}

// AskAtTerminal tells the person of a dialog that a session shows since a time, and that only the
// terminal can answer.
func (c *Core) AskAtTerminal(a ask.Ask, since time.Time) error {
	return c.Do(func(s *Draft) error {
		if !s.unasked(s.Sessions.Rows[a.Session], since) {
			return nil
		}
		a.Nonce, a.Times = c.cfg.Secret(), s.Cfg.Rules.Times
		a = ask.Start(a, s.Mode(a.Session, s.Now), since)
		a = ask.Tick(a, s.Now)
		s.PutAsk(a)
		text := s.Token(a.Session) + ": a dialog waits at the terminal, which alone can answer it: " + a.Tool
		s.Record(event.AskOpened, a.Session, string(a.ID), text)
		return nil
	})
}

// DialogOver notes that a session shows no dialog any more.
func (c *Core) DialogOver(id session.ID) error {
	return c.Do(func(s *Draft) error {
		for _, a := range s.Asks.Of(id) {
			if a.Kind == ask.Terminal && a.State == ask.Open {
				s.EndAsk(a, ask.Local, "answered at the terminal")
			}
		}
		return nil
	})
}
