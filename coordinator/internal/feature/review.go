package feature

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/review"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/text"
)

// reviews changes the review gate of a session. It does nothing for an unknown session.
func (c *Core) reviews(id session.ID, change func(*draft, session.Session) session.Review) error {
	return c.do(func(s *draft) error {
		v, ok := s.Sessions.Rows[id]
		if !ok {
			return nil
		}
		v.Review = change(s, v)
		s.Sessions.Put(s.Batch, v)
		return nil
	})
}

// SetReview switches the review gate of a session. seen is the state of the work that
// needs no review.
func (c *Core) SetReview(id session.ID, on bool, seen string) error {
	return c.reviews(id, func(s *draft, v session.Session) session.Review {
		word := text.OnOff(on)
		if v.Review.On != on {
			s.Record(event.ReviewSet, id, v.Token, v.Token+": the review gate is "+word)
		}
		return v.Review.Switch(on, seen)
	})
}

// ReviewPrompt records a prompt that the person typed, without secrets.
func (c *Core) ReviewPrompt(id session.ID, prompt string) error {
	return c.reviews(id, func(s *draft, v session.Session) session.Review {
		return v.Review.Prompt(prompt)
	})
}

// ReviewerBegins records that a reviewer begins in a session, and the state of the work. It
// returns what the reviewer is shown.
func (c *Core) ReviewerBegins(id session.ID, agent, work string) (shown string, err error) {
	err = c.reviews(id, func(s *draft, v session.Session) session.Review {
		shown = v.Review.Shown()
		return v.Review.Begin(agent, work)
	})
	return shown, err
}

// mostPast is how many journal entries about one reviewer are read. It is far more than
// a reviewer can make between two reviews.
const mostPast = 200

// ReviewerStops decides whether a reviewer of a session may end, by its journal entries.
// The decision is in the journal when ReviewerStops returns.
func (c *Core) ReviewerStops(id session.ID, agent, message string) (review.Ruling, error) {
	entries, err := c.cfg.Store.About(id, agent, review.Kinds, mostPast)
	if err != nil {
		return review.Ruling{}, err
	}
	r := review.Judge(review.Since(entries), message)
	return r, c.do(func(s *draft) error {
		v, known := s.Sessions.Rows[id]
		s.Record(r.Kind, id, agent, fmt.Sprintf("%s: %s", v.Token, r.Text))
		if r.Tell != "" {
			v = v.Tell(r.Tell)
		}
		if r.Kind != event.GateBlocked {
			v.Review = v.Review.End(agent, r.Kind == event.GateOpened)
		}
		if known {
			s.Sessions.Put(s.Batch, v)
		}
		if r.Kind == event.GateGivenUp && !s.Settings.Paused {
			s.Notify("gate", id, channel.News{Kind: channel.GateGivenUp, Of: v.Token})
		}
		return nil
	})
}
