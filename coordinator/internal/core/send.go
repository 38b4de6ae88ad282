package core

import (
	"errors"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ErrNoChannel says that no channel to the person is available.
var ErrNoChannel = errors.New("no channel is available")

// Send stores a text for a session, for its next hook to take, and returns when that
// will be. If the text is the person's own, it also answers the check-in of a session
// that stopped. A text with a known key is not sent again.
func (c *Core) Send(m message.Message) (sent message.Message, when string, err error) {
	if m.Data {
		m.Text = message.Fence(m.By, m.Text, c.cfg.Secret())
	}
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if old, known := s.messages.rows[message.IDOf(m.Key)]; known {
			sent, when = old, s.reaches(old)
			return b, nil
		}
		if !m.Data {
			if err := s.answerCheckIn(&b, m, now); err != nil {
				return b, err
			}
		}
		sent, when = s.post(&b, m, now), s.reaches(m)
		return b, nil
	})
	return sent, when, err
}

// answerCheckIn ends the open check-in of the session that gets m, and so releases its
// Stop hook and updates its card.
func (s *state) answerCheckIn(b *store.Batch, m message.Message, now time.Time) error {
	for _, a := range s.openCheckIns(m.Session) {
		d := ask.Decision{By: m.By, Channel: m.Channel}.ForCheckIn(m.Text)
		if _, err := s.answer(b, ask.Card{a}, ask.Answer, d, now); err != nil {
			return err
		}
	}
	return nil
}

// reaches is like fate, without the name of the session.
func (s *state) reaches(m message.Message) string {
	id := m.Session
	if r, ok := s.runs.byConversation.one(string(id)); ok && m.Run {
		return s.runFate(r)
	}
	if v := s.sessions.rows[id]; v.State == session.Waiting && s.holds(id) {
		return "now"
	}
	_, when, _ := strings.Cut(strings.TrimSuffix(s.fate(id), "."), " gets it ")
	return when
}

// holds reports whether the Stop hook of a session waits for its check-in.
func (s *state) holds(id session.ID) bool { return len(s.openCheckIns(id)) > 0 }

// Tell sends the person a text, in every away mode. m.By names the sender; id is the session
// that it comes from, "" for none. A text with a known key is not sent again.
func (c *Core) Tell(id session.ID, m message.Message) (sent message.Message, err error) {
	m.To = message.ToPerson
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if old, known := s.messages.rows[message.IDOf(m.Key)]; known {
			sent = old
			return b, nil
		}
		if !s.reachable() {
			return b, ErrNoChannel
		}
		sent = s.post(&b, m, now)
		s.notifyOf(&b, "send", id, "💬 "+m.By+": "+m.Text, []string{string(sent.ID)}, now)
		return b, nil
	})
	return sent, err
}

// Told notes that a channel has shown texts to the person.
func (c *Core) Told(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		for _, id := range ids {
			m, ok := s.messages.rows[message.ID(id)]
			next, err := message.Show(m, now)
			if !ok || err != nil {
				continue // another channel was first
			}
			s.messages.put(&b, next)
			record(&b, event.MessageDelivered, "", id, "the person was shown the text of "+m.By, now)
		}
		return b, nil
	})
}
