package feature

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// Background returns what the background questions have cost today, and what they may cost, in
// US dollars.
func (c *Core) Background() (spent, budget float64) {
	c.view(func(s *draft) {
		spent, budget = s.Settings.Background.Spent(s.Now), s.Cfg.Rules.Background
	})
	return spent, budget
}

// BeginBackground reserves the cost of a background question, or returns a *background.Rest.
// EndBackground follows.
func (c *Core) BeginBackground() error {
	return c.do(func(s *draft) error {
		next, rest := s.Settings.Background.Begin(s.Cfg.Rules.Background, s.Now)
		if rest != nil {
			return rest
		}
		s.NewSettings().Background = next
		return nil
	})
}

// EndBackground records what a background question about something cost, and its error. by is the
// program that was asked.
func (c *Core) EndBackground(about, by string, usd float64, failed error) error {
	return c.do(func(s *draft) error {
		if failed == nil {
			s.NewSettings().Background = s.Settings.Background.Answered(usd, s.Now)
			s.Record(event.BackgroundAsked, "", about, fmt.Sprintf("%s: %s answered for $%.4f", about, by, usd))
			return nil
		}
		next, tell := s.Settings.Background.Failed(usd, failed.Error(), s.Now)
		s.NewSettings().Background = next
		s.Record(event.BackgroundFailed, "", about, about+": "+core.Folded(failed.Error()))
		if tell != "" {
			s.Notify("background", "", channel.News{Text: tell})
		}
		return nil
	})
}
