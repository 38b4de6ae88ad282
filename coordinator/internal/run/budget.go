package run

import (
	"fmt"
	"time"
)

// Reached says which of its own limits a run has reached at now, "" for none.
func (r Run) Reached(now time.Time) string {
	switch {
	case r.Spent():
		return fmt.Sprintf("its budget is used up: $%.2f of $%.2f", r.CostUSD, r.BudgetUSD)
	case !r.Until.IsZero() && !now.Before(r.Until):
		return fmt.Sprintf("its time is over: it was started for %s", r.Until.Sub(r.StartedAt).Round(time.Second))
	}
	return ""
}

// Spent reports whether a run has used up its budget.
func (r Run) Spent() bool { return r.BudgetUSD > 0 && r.CostUSD >= r.BudgetUSD }

// Left returns what the next turn of r may cost, 0 for no limit.
func (r Run) Left() float64 {
	if r.BudgetUSD <= 0 {
		return 0
	}
	return max(r.BudgetUSD-r.CostUSD, 0)
}

// Limit ends the turn of r, or the wait for its next turn, because a limit is reached. A turn
// that runs is told to end.
func Limit(r Run, why string, now time.Time) (Run, error) {
	switch {
	case r.Busy():
		if r.Turn.Limit == "" {
			r.Turn.Limit = why
		}
		return r, nil
	case r.State == Queued:
		r.Why, r.Resume = why, false
		r.QueuedAt, r.NotUntil = time.Time{}, time.Time{}
		return r.to(Failed, now), nil
	}
	return r.unfit("limit")
}

// timeEnds returns when the time of a turn that works is over, the zero time for never. A
// turn that waits for a person is not ended.
func (r Run) timeEnds() time.Time {
	if r.State == Waiting || !r.Busy() || r.Turn.Limit != "" {
		return time.Time{}
	}
	return r.Until
}
