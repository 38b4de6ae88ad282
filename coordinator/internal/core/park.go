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
	err = c.Do(func(s *Draft) error {
		answers := ask.TellLate(s.answeredLate(id, delivery), delivery, room, s.Now)
		s.Asks.Put(s.Batch, answers.Told...)
		text = strings.Trim(answers.Text+"\n"+s.tells(id, delivery, answers.Room), "\n")
		return nil
	})
	return text, err
}

// tells hands over to a delivery what waits for a session.
func (s *Draft) tells(id session.ID, delivery string, room int) string {
	v := s.Sessions.Rows[id]
	if len(v.Tells) == 0 {
		return ""
	}
	next, text := v.Deliver(delivery, room)
	if !slices.Equal(next.Tells, v.Tells) {
		s.Sessions.Put(s.Batch, next)
	}
	return text
}

// UntellLate takes back what a delivery told, because it never arrived.
func (c *Core) UntellLate(id session.ID, delivery string) error {
	return c.Do(func(s *Draft) error {
		for _, a := range s.answeredLate(id, delivery) {
			if next, err := ask.Untell(a, delivery); err == nil {
				s.Asks.Put(s.Batch, next)
			}
		}
		if v := s.Sessions.Rows[id]; len(v.Tells) > 0 {
			s.Sessions.Put(s.Batch, v.Undeliver(delivery))
		}
		return nil
	})
}

// answeredLate returns the asks of a session whose late answers a delivery has
// to tell, oldest first.
func (s *State) answeredLate(id session.ID, delivery string) (out []ask.Ask) {
	for _, a := range s.Asks.Of(id) {
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
func (s *State) lateUntil(id session.ID) (until time.Time) {
	for _, a := range s.Asks.Of(id) {
		if at := a.WaitsUntil(); at.After(until) && (a.Kind != ask.Denied || s.Reachable()) {
			until = at
		}
	}
	return until
}

// AwaitLate waits until there is something to tell a session that waits for the
// answers to its parked calls, or nothing to wait for; at most until ctx ends.
func (c *Core) AwaitLate(ctx context.Context, id session.ID) {
	c.await(ctx, func(s *State, now time.Time) (done bool, at time.Time) {
		until := s.lateUntil(id)
		told := len(s.answeredLate(id, "")) > 0 || len(message.Waiting(s.here(id), id)) > 0
		return told || s.Settings.Paused || !now.Before(until), until
	}, OfSession(id), Paused, Pairing)
}
