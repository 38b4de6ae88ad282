package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Background returns what the background questions have cost today, and what they may cost, in
// US dollars.
func (c *Core) Background() (spent, budget float64) {
	c.view(func(s *state, now time.Time) {
		spent, budget = s.settings.Background.Spent(now), s.cfg.Rules.Background
	})
	return spent, budget
}

// BeginBackground reserves the cost of a background question, or returns a *background.Rest.
// EndBackground follows.
func (c *Core) BeginBackground() error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		next, rest := s.settings.Background.Begin(s.cfg.Rules.Background, now)
		if rest != nil {
			return b, rest
		}
		s.change(&b).Background = next
		return b, nil
	})
}

// EndBackground records what a background question about something cost, and its error. by is the
// program that was asked.
func (c *Core) EndBackground(about, by string, usd float64, failed error) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if failed == nil {
			s.change(&b).Background = s.settings.Background.Answered(usd, now)
			record(&b, event.BackgroundAsked, "", about, fmt.Sprintf("%s: %s answered for $%.4f", about, by, usd), now)
			return b, nil
		}
		next, tell := s.settings.Background.Failed(usd, failed.Error(), now)
		s.change(&b).Background = next
		record(&b, event.BackgroundFailed, "", about, about+": "+folded(failed.Error()), now)
		if tell != "" {
			s.notify(&b, "background", "", channel.News{Text: tell}, now)
		}
		return b, nil
	})
}
