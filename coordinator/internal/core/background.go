package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
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
	return c.do(func(s *draft) error {
		next, rest := s.settings.Background.Begin(s.cfg.Rules.Background, s.now)
		if rest != nil {
			return rest
		}
		s.newSettings().Background = next
		return nil
	})
}

// EndBackground records what a background question about something cost, and its error. by is the
// program that was asked.
func (c *Core) EndBackground(about, by string, usd float64, failed error) error {
	return c.do(func(s *draft) error {
		if failed == nil {
			s.newSettings().Background = s.settings.Background.Answered(usd, s.now)
			s.record(event.BackgroundAsked, "", about, fmt.Sprintf("%s: %s answered for $%.4f", about, by, usd))
			return nil
		}
		next, tell := s.settings.Background.Failed(usd, failed.Error(), s.now)
		s.newSettings().Background = next
		s.record(event.BackgroundFailed, "", about, about+": "+folded(failed.Error()))
		if tell != "" {
			s.notify("background", "", channel.News{Text: tell})
		}
		return nil
	})
}
