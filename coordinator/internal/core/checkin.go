package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// CheckIn tells the person that a session stopped, where its person is away from
// its terminal. hold is false when the session simply stops. The same id again
// finds the same check-in; an older one of the session gives way. The Stop hook that
// is to hold the session is holder, no process for none.
func (c *Core) CheckIn(a ask.Ask, holder session.Process) (hold bool, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		hold = s.checksIn(a.ID, a.Session, now)
		if _, old := s.asks[a.ID]; old || !hold {
			return b, nil
		}
		s.dropCheckIns(&b, a.Session, "a newer check-in took its place", now)
		a.Nonce = c.cfg.Secret()
		a = ask.Tick(ask.Start(a, session.On, now), now)
		s.putAsk(&b, a, now)
		b.Events = append(b.Events, happened(event.AskOpened, a.Session, string(a.ID), s.token(a.Session)+": stopped and checked in", now))
		v := session.To(s.sessions[a.Session], session.Waiting, now)
		v.Holder = holder
		b.Sessions = append(b.Sessions, v)
		return b, nil
	})
	return hold, err
}

// ChecksIn reports whether CheckIn would take the check-in with an id now. Whoever
// asks first need not make one for nothing: what it says has to be masked.
func (c *Core) ChecksIn(id ask.ID, by session.ID) (hold bool) {
	c.view(func(s *state, now time.Time) { hold = s.checksIn(id, by, now) })
	return hold
}

func (s *state) checksIn(id ask.ID, by session.ID, now time.Time) bool {
	if old, ok := s.asks[id]; ok {
		return old.Session == by
	}
	v := s.sessions[by]
	return (v.Attended || v.Background) && s.settings.Person != nil && !s.settings.Paused && s.mode(by, now) == session.On
}

// Release says that the Stop hook holds the session no longer. The check-in
// stays open; the session is idle. It returns how the check-in stands.
func (c *Core) Release(id ask.ID) (a ask.Ask, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		var ok bool
		if a, ok = s.asks[id]; !ok {
			return b, fmt.Errorf("ask %q: %w", id, ErrNotFound)
		}
		v := s.sessions[a.Session]
		holds := v.Holder.Known()
		v.Holder = session.Process{}
		if a.State == ask.Open && v.State == session.Waiting {
			v, holds = session.To(v, session.Idle, now), true
		}
		if holds {
			b.Sessions = append(b.Sessions, v)
		}
		return b, nil
	})
	return a, err
}

// dropCheckIns ends the open check-ins of a session.
func (s *state) dropCheckIns(b *store.Batch, id session.ID, note string, now time.Time) (dropped bool) {
	for _, a := range s.asks {
		if a.Session != id || a.Kind != ask.CheckIn || a.State != ask.Open {
			continue
		}
		next := ask.Local(a, note, now)
		s.putAsk(b, next, now)
		dropped = true
		b.Events = append(b.Events, happened(event.AskEnded, id, string(a.ID), s.told(next), now))
	}
	return dropped
}
