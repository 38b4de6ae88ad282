package core

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TellLate returns what a session must know, in at most room bytes: the answers that came
// after its calls were refused, one line each, and other news. It notes that this
// delivery tells them. A repeated call with the same delivery gets the same text, because
// the reply was lost. What does not fit waits for the next delivery.
func (c *Core) TellLate(id session.ID, delivery string, room int) (text string, err error) {
	err = c.do(func(s *draft) error {
		answers := ask.TellLate(s.answeredLate(id, delivery), delivery, room, s.now)
		s.asks.Put(s.b, answers.Told...)
		text = strings.Trim(answers.Text+"\n"+s.tells(id, delivery, answers.Room), "\n")
		return nil
	})
	return text, err
}

// tells hands over to a delivery what waits for a session.
func (s *draft) tells(id session.ID, delivery string, room int) string {
	v := s.sessions.Rows[id]
	if len(v.Tells) == 0 {
		return ""
	}
	next, text := v.Deliver(delivery, room)
	if !slices.Equal(next.Tells, v.Tells) {
		s.sessions.Put(s.b, next)
	}
	return text
}

// UntellLate takes back what a delivery told, because it never arrived.
func (c *Core) UntellLate(id session.ID, delivery string) error {
	return c.do(func(s *draft) error {
		for _, a := range s.answeredLate(id, delivery) {
			if next, err := ask.Untell(a, delivery); err == nil {
				s.asks.Put(s.b, next)
			}
		}
		if v := s.sessions.Rows[id]; len(v.Tells) > 0 {
			s.sessions.Put(s.b, v.Undeliver(delivery))
		}
		return nil
	})
}

// answeredLate returns the asks of a session whose late answers a delivery has
// to tell, oldest first.
func (s *state) answeredLate(id session.ID, delivery string) (out []ask.Ask) {
	for _, a := range s.asks.of(id) {
		if a.TellIn(delivery) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b ask.Ask) int { return a.OpenedAt.Compare(b.OpenedAt) })
	return out
}

// lateUntil returns until when a session may wait for late answers, the zero time for not at
// all. It waits for a retry of a call that auto mode refused only if a channel is
// available on which the person can allow it.
func (s *state) lateUntil(id session.ID) (until time.Time) {
	for _, a := range s.asks.of(id) {
		if at := a.WaitsUntil(); at.After(until) && (a.Kind != ask.Denied || s.reachable()) {
			until = at
		}
	}
	return until
}

// AwaitLate waits until there is something to tell a session that waits for the
// answers to its parked calls, or nothing to wait for; at most until ctx ends.
func (c *Core) AwaitLate(ctx context.Context, id session.ID) {
	c.await(ctx, func(s *state, now time.Time) (done bool, at time.Time) {
		until := s.lateUntil(id)
		told := len(s.answeredLate(id, "")) > 0 || len(message.Waiting(s.here(id), id)) > 0
		return told || s.settings.Paused || !now.Before(until), until
	}, ofSession(id), paused, Pairing)
}
