package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/review"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// mostPast is how many entries about one reviewer are read: more than she can
// make between two reviews by far.
const mostPast = 200

// ReviewerStops rules on a reviewer of a session who wants to end, by what the
// journal has of her. The ruling stands in the journal when this returns.
func (c *Core) ReviewerStops(id session.ID, agent, message string) (review.Ruling, error) {
	entries, err := c.cfg.Store.About(id, agent, review.Kinds, mostPast)
	if err != nil {
		return review.Ruling{}, err
	}
	r := review.Judge(review.Since(entries), message)
	return r, c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		v, known := s.sessions.rows[id]
		b.Events = append(b.Events, happened(r.Kind, id, agent, fmt.Sprintf("%s: %s", v.Token, r.Text), now))
		if r.Tell != "" {
			v = v.Tell(r.Tell)
		}
		if r.Kind != event.GateBlocked {
			v.Review = v.Review.End(agent, r.Kind == event.GateOpened)
		}
		if known {
			s.sessions.put(&b, v)
		}
		if r.Kind == event.GateGivenUp && !s.settings.Paused {
			s.notify(&b, "gate", id, "🔎 "+v.Token+": a review ended without a second opinion. The session was told not to count it.", now)
		}
		return b, nil
	})
}
