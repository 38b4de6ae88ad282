package core

import (
	"cmp"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// reachedBy says which limit a run has reached: one of its own, or the day's budget for all
// runs. It is "" for none.
func (s *Draft) reachedBy(r run.Run) string {
	day, most := s.runDay(), s.Cfg.Rules.DayOfRuns
	over := ""
	if most > 0 && day.Spent.USD >= most {
		over = fmt.Sprintf("the day's budget for runs is used up: $%.2f of $%.2f", day.Spent.USD, most)
	}
	return cmp.Or(r.Reached(s.Now), over)
}

// runDay returns what all runs have spent today.
func (s *Draft) runDay() store.Day {
	day := s.settingsAfter().RunDay
	if date := s.Now.Format(time.DateOnly); day.Date != date {
		return store.Day{Date: date}
	}
	return day
}

// settingsAfter returns the settings as the draft leaves them.
func (s *Draft) settingsAfter() store.Settings {
	if s.Batch.Settings != nil {
		return *s.Batch.Settings
	}
	return s.Settings
}

// charge books what a run has spent since before, and ends its turn if a limit is reached.
func (s *Draft) charge(before, after run.Run) run.Run {
	if spent := after.CostUSD - before.CostUSD; spent > 0 {
		day := s.runDay()
		day.Spent = day.Spent.Plus(usage.Sum{USD: spent})
		s.NewSettings().RunDay = day
	}
	return s.limitRun(after)
}

// limitRun ends the turn of a run that has reached a limit.
func (s *Draft) limitRun(r run.Run) run.Run {
	why, told := s.reachedBy(r), r.Busy() && r.Turn.Limit != ""
	if why == "" || told || r.State == run.Waiting {
		return r
	}
	next, err := run.Limit(r, why, s.Now)
	if err != nil {
		return r
	}
	if next.Busy() {
		s.ActRun(r.ID)
	}
	return next
}

// LeftFor returns what the next turn of a run may cost, 0 for no limit.
func (c *Core) LeftFor(r run.Run) (usd float64) {
	usd = r.Left()
	c.View(func(s *State, now time.Time) {
		if most := s.Cfg.Rules.DayOfRuns; most > 0 {
			day := max(most-s.At(now).runDay().Spent.USD, 0.01)
			usd = min(cmp.Or(usd, day), day)
		}
	})
	return usd
}
