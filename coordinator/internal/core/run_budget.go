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
func (s *state) reachedBy(b *store.Batch, r run.Run, now time.Time) string {
	day, most := s.runDay(b, now), s.cfg.Rules.DayOfRuns
	over := ""
	if most > 0 && day.Spent.USD >= most {
		over = fmt.Sprintf("the day's budget for runs is used up: $%.2f of $%.2f", day.Spent.USD, most)
	}
	return cmp.Or(r.Reached(now), over)
}

// runDay returns what all runs have spent today.
func (s *state) runDay(b *store.Batch, now time.Time) store.Day {
	day := s.settingsAfter(b).RunDay
	if date := now.Format(time.DateOnly); day.Date != date {
		return store.Day{Date: date}
	}
	return day
}

// settingsAfter returns the settings as a batch leaves them.
func (s *state) settingsAfter(b *store.Batch) store.Settings {
	if b.Settings != nil {
		return *b.Settings
	}
	return s.settings
}

// charge books what a run has spent since before, and ends its turn if a limit is reached.
func (s *state) charge(b *store.Batch, before, after run.Run, now time.Time) run.Run {
	if spent := after.CostUSD - before.CostUSD; spent > 0 {
		day := s.runDay(b, now)
		day.Spent = day.Spent.Plus(usage.Sum{USD: spent})
		s.change(b).RunDay = day
	}
	return s.limitRun(b, after, now)
}

// limitRun ends the turn of a run that has reached a limit.
func (s *state) limitRun(b *store.Batch, r run.Run, now time.Time) run.Run {
	why, told := s.reachedBy(b, r, now), r.Busy() && r.Turn.Limit != ""
	if why == "" || told || r.State == run.Waiting {
		return r
	}
	next, err := run.Limit(r, why, now)
	if err != nil {
		return r
	}
	if next.Busy() {
		actRun(b, r.ID, now)
	}
	return next
}

// LeftFor returns what the next turn of a run may cost, 0 for no limit.
func (c *Core) LeftFor(r run.Run) (usd float64) {
	usd = r.Left()
	c.view(func(s *state, now time.Time) {
		if most := s.cfg.Rules.DayOfRuns; most > 0 {
			day := max(most-s.runDay(&store.Batch{}, now).Spent.USD, 0.01)
			usd = min(cmp.Or(usd, day), day)
		}
	})
	return usd
}
