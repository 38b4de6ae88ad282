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
func (s *state) dayAfter(sum usage.Sum, now time.Time) (day store.Day, over string) {
	day = s.settings.Day
	if date := now.Format(time.DateOnly); day.Date != date {
		day = store.Day{Date: date}
	}
	day.Spent = day.Spent.Plus(sum)
	if s.cfg.Rules.DayOfLoops <= 0 || day.Spent.USD < s.cfg.Rules.DayOfLoops {
		return day, ""
	}
	const text = "the day's budget for loops is spent: $%.2f of $%.2f, at list prices"
	return day, fmt.Sprintf(text, day.Spent.USD, s.cfg.Rules.DayOfLoops)
}

// book records what all loops have spent today.
func (s *draft) book(sum usage.Sum) {
	if sum != (usage.Sum{}) {
		s.newSettings().Day, _ = s.dayAfter(sum, s.now)
	}
}

// SpendLoop books what a subagent of a looping session spent, once. It books nothing if
// no loop runs.
func (c *Core) SpendLoop(id session.ID, sum usage.Sum, read loop.AgentRead) error {
	return c.do(func(s *draft) (err error) {
		l := s.loops.Rows[id]
		if !l.Active() || l.ReadOf(read.Agent) == read.Read {
			return nil
		}
		l, err = loop.Spend(l, sum, read)
		if err == nil {
			s.book(sum)
			s.loops.Put(s.b, l)
		}
		return err
	})
}
