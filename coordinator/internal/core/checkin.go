package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// openCheckIn opens the check-in of a session that stopped. A known id finds the
// same check-in. An older check-in of the session ends.
func (s *Draft) openCheckIn(a ask.Ask) {
	if s.checkedIn(a.ID) {
		return
	}
	s.dropCheckIns(a.Session, "a newer check-in took its place")
	a.Nonce = s.Cfg.Secret()
	a = ask.Tick(ask.Start(a, session.On, s.Now), s.Now)
	s.PutAsk(a)
	text := s.Token(a.Session) + ": stopped and checked in"
	s.Record(event.AskOpened, a.Session, string(a.ID), text)
}

func (s *State) checkedIn(id ask.ID) bool {
	_, known := s.Asks.Rows[id]
	return known
}

// checksIn reports whether a session that stops now takes the check-in with an id: its
// person is away, and a channel is available.
func (s *State) checksIn(id ask.ID, by session.ID, now time.Time) bool {
	if old, ok := s.Asks.Rows[id]; ok {
		return old.Session == by
	}
	v := s.Sessions.Rows[by]
	return v.Interactive() && s.Reachable() && !s.Settings.Paused && s.Mode(by, now) == session.On
}

// Release notes that the Stop hook no longer holds the session. The check-in stays
// open, and the session is idle. Release returns the check-in.
func (c *Core) Release(id ask.ID) (a ask.Ask, err error) {
	err = c.Do(func(s *Draft) error {
		var ok bool
		if a, ok = s.Asks.Rows[id]; !ok {
			return fmt.Errorf("ask %q: %w", id, ErrNotFound)
		}
		v := s.Sessions.Rows[a.Session]
		holds := v.Holder.Known()
		v.Holder = session.Process{}
		if a.State == ask.Open && v.State == session.Waiting {
			v, holds = session.To(v, session.Idle, s.Now), true
		}
		if holds {
			s.Sessions.Put(s.Batch, v)
		}
		return nil
	})
	return a, err
}

// openCheckIns returns the check-ins of a session that wait for a reply.
func (s *State) openCheckIns(id session.ID) []ask.Ask {
	return slices.DeleteFunc(s.Asks.Of(id), func(a ask.Ask) bool {
		return a.Kind != ask.CheckIn || a.State != ask.Open
	})
}

// dropCheckIns ends the open check-ins of a session.
func (s *Draft) dropCheckIns(id session.ID, note string) (dropped bool) {
	for _, a := range s.openCheckIns(id) {
		dropped = s.EndAsk(a, ask.Local, note) || dropped
	}
	return dropped
}
