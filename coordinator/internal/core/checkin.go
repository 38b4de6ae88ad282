package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// openCheckIn opens the check-in of a session that stopped. A known id finds the
// same check-in. An older check-in of the session ends.
func (s *state) openCheckIn(b *store.Batch, a ask.Ask, now time.Time) {
	if s.checkedIn(a.ID) {
		return
	}
	s.dropCheckIns(b, a.Session, "a newer check-in took its place", now)
	a.Nonce = s.cfg.Secret()
	a = ask.Tick(ask.Start(a, session.On, now), now)
	s.putAsk(b, a, now)
	text := s.token(a.Session) + ": stopped and checked in"
	record(b, event.AskOpened, a.Session, string(a.ID), text, now)
}

func (s *state) checkedIn(id ask.ID) bool {
	_, known := s.asks.Rows[id]
	return known
}

// checksIn reports whether a session that stops now takes the check-in with an id: its
// person is away, and a channel is available.
func (s *state) checksIn(id ask.ID, by session.ID, now time.Time) bool {
	if old, ok := s.asks.Rows[id]; ok {
		return old.Session == by
	}
	v := s.sessions.Rows[by]
	return v.Interactive() && s.reachable() && !s.settings.Paused && s.mode(by, now) == session.On
}

// Release notes that the Stop hook no longer holds the session. The check-in stays
// open, and the session is idle. Release returns the check-in.
func (c *Core) Release(id ask.ID) (a ask.Ask, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		var ok bool
		if a, ok = s.asks.Rows[id]; !ok {
			return b, fmt.Errorf("ask %q: %w", id, ErrNotFound)
		}
		v := s.sessions.Rows[a.Session]
		holds := v.Holder.Known()
		v.Holder = session.Process{}
		if a.State == ask.Open && v.State == session.Waiting {
			v, holds = session.To(v, session.Idle, now), true
		}
		if holds {
			s.sessions.Put(&b, v)
		}
		return b, nil
	})
	return a, err
}

// openCheckIns returns the check-ins of a session that wait for a reply.
func (s *state) openCheckIns(id session.ID) []ask.Ask {
	return slices.DeleteFunc(s.asks.of(id), func(a ask.Ask) bool {
		return a.Kind != ask.CheckIn || a.State != ask.Open
	})
}

// dropCheckIns ends the open check-ins of a session.
func (s *state) dropCheckIns(b *store.Batch, id session.ID, note string, now time.Time) (dropped bool) {
	for _, a := range s.openCheckIns(id) {
		dropped = s.endAsk(b, a, ask.Local, note, now) || dropped
	}
	return dropped
}
