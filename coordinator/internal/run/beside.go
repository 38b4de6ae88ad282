package run

import (
	"fmt"
	"time"
)

// Beside returns a run with a number that is set up as r is, and works next to it. The caller
// gives it an id and a conversation.
func Beside(r Run, n int) Run {
	dir := r.Dir
	if r.Worktree {
		dir = r.Place.Repo // it gets a worktree of its own
	}
	return Run{
		Name:     fmt.Sprintf("%s-%d", r.Name, n),
		Agent:    r.Agent,
		Dir:      dir,
		Mode:     r.Mode,
		Model:    r.Model,
		By:       r.By,
		Worktree: r.Worktree,
		Beside:   r.ID,

		BudgetUSD: r.BudgetUSD,
		Until:     r.Until,
	}
}

// Rest returns a new run without a turn.
func Rest(r Run, now time.Time) Run {
	r.StartedAt = now
	return r.to(Idle, now)
}
