package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// CheckIn tells the peer that a session stopped, where its person is away from
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
	return (v.Attended || v.Background) && s.settings.Peer != nil && !s.settings.Paused && s.mode(by, now) == session.On
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

// decide applies what the peer decided to an ask and returns what they are told
// about it. A text answers a question in its own words; for a check-in it
// becomes a message of its session, a second text too.
func (s *state) decide(b *store.Batch, a ask.Ask, p Press, now time.Time) string {
	switch {
	case a.Kind == ask.CheckIn:
		p.Decision = p.Decision.ForCheckIn(p.Text)
	case a.Form != nil && p.Text != "":
		p.Step, p.Decision = ask.Say(p.Text), ask.Decision{Allow: true, By: p.Decision.By, Channel: p.Decision.Channel}
	}
	if a.Replied() && p.Text != "" && s.sessions[a.Session].State != session.Ended {
		m := s.post(b, p.message(a.Session), now)
		return s.fate(m.Session)
	}
	changed, err := s.answer(b, s.onCard(a), p.Step, p.Decision, now)
	if err != nil {
		s.putAsk(b, changed[0], now)
	} else if changed[0].Replied() {
		m := s.post(b, p.message(a.Session), now)
		return s.sent(m.Session)
	} else if d := changed[0].Decision; a.Kind != ask.Plan && d != nil && !d.Allow && p.Text != "" && d.Message == p.Text {
		return "Denied. The session gets your words."
	}
	return tapText(changed, err) + s.tooLate(changed[0], err)
}

// sent says what becomes of a text that answered a check-in.
func (s *state) sent(id session.ID) string {
	if s.sessions[id].Holder.Known() && !s.settings.Paused {
		return "📨 Sent. The session goes on with it."
	}
	return s.fate(id)
}

// replied makes the text that answered a check-in at another channel a message.
func (s *state) replied(b *store.Batch, a ask.Ask, now time.Time) {
	if a.Replied() {
		s.post(b, message.Message{Key: "ask:" + string(a.ID), Session: a.Session, Text: a.Decision.Message, By: a.Decision.By, Channel: a.Decision.Channel}, now)
	}
}
