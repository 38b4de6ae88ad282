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
func (s *draft) reachedBy(r run.Run) string {
	day, most := s.runDay(), s.cfg.Rules.DayOfRuns
	over := ""
	if most > 0 && day.Spent.USD >= most {
		over = fmt.Sprintf("the day's budget for runs is used up: $%.2f of $%.2f", day.Spent.USD, most)
	}
	return cmp.Or(r.Reached(s.now), over)
}

// runDay returns what all runs have spent today.
func (s *draft) runDay() store.Day {
	day := s.settingsAfter().RunDay
	if date := s.now.Format(time.DateOnly); day.Date != date {
		return store.Day{Date: date}
	}
	return day
}

// settingsAfter returns the settings as the draft leaves them.
func (s *draft) settingsAfter() store.Settings {
	if s.b.Settings != nil {
		return *s.b.Settings
	}
	return s.settings
}

// charge books what a run has spent since before, and ends its turn if a limit is reached.
func (s *draft) charge(before, after run.Run) run.Run {
	if spent := after.CostUSD - before.CostUSD; spent > 0 {
		day := s.runDay()
		day.Spent = day.Spent.Plus(usage.Sum{USD: spent})
		s.newSettings().RunDay = day
	}
	return s.limitRun(after)
}

// limitRun ends the turn of a run that has reached a limit.
func (s *draft) limitRun(r run.Run) run.Run {
	why, told := s.reachedBy(r), r.Busy() && r.Turn.Limit != ""
	if why == "" || told || r.State == run.Waiting {
		return r
	}
	next, err := run.Limit(r, why, s.now)
	if err != nil {
		return r
	}
	if next.Busy() {
		s.actRun(r.ID)
	}
	return next
}

// LeftFor returns what the next turn of a run may cost, 0 for no limit.
func (c *Core) LeftFor(r run.Run) (usd float64) {
	usd = r.Left()
	c.view(func(s *state, now time.Time) {
		if most := s.cfg.Rules.DayOfRuns; most > 0 {
			day := max(most-s.at(now).runDay().Spent.USD, 0.01)
			usd = min(cmp.Or(usd, day), day)
		}
	})
	return usd
}
