package core

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// dayAfter returns what all loops have spent today once sum is added. over says that this
// is more than the day's budget.
func (s *State) dayAfter(sum usage.Sum, now time.Time) (day store.Day, over string) {
	day = s.Settings.Day
	if date := now.Format(time.DateOnly); day.Date != date {
		day = store.Day{Date: date}
	}
	day.Spent = day.Spent.Plus(sum)
	if s.Cfg.Rules.DayOfLoops <= 0 || day.Spent.USD < s.Cfg.Rules.DayOfLoops {
		return day, ""
	}
	const text = "the day's budget for loops is spent: $%.2f of $%.2f, at list prices"
	return day, fmt.Sprintf(text, day.Spent.USD, s.Cfg.Rules.DayOfLoops)
}

// book records what all loops have spent today.
func (s *Draft) book(sum usage.Sum) {
	if sum != (usage.Sum{}) {
		s.NewSettings().Day, _ = s.dayAfter(sum, s.Now)
	}
}

// SpendLoop books what a subagent of a looping session spent, once. It books nothing if
// no loop runs.
func (c *Core) SpendLoop(id session.ID, sum usage.Sum, read loop.AgentRead) error {
	return c.Do(func(s *Draft) (err error) {
		l := s.Loops.Rows[id]
		if !l.Active() || l.ReadOf(read.Agent) == read.Read {
			return nil
		}
		l, err = loop.Spend(l, sum, read)
		if err == nil {
			s.book(sum)
			s.Loops.Put(s.Batch, l)
		}
		return err
	})
}
