package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ActRunClear has a Cleared as its data: remove the files and the worktree of a run that was
// removed.
const ActRunClear = "run-clear"

// A Cleared is a run that was removed, as its files are found.
type Cleared struct {
	ID    run.ID    `json:"id"`
	Name  string    `json:"name"`
	Place run.Place `json:"place,omitzero"`
}

func clearRun(b *store.Batch, r run.Run, now time.Time) {
	lane := LaneRun + string(r.ID)
	enqueue(b, lane, "clear:"+lane, ActRunClear, encode(Cleared{ID: r.ID, Name: r.Name, Place: r.Place}), now)
}

// askForPlaces has the worktrees made for which turns wait.
func (s *state) askForPlaces(b *store.Batch, all []run.Run, now time.Time) {
	for _, r := range all {
		if r.NeedsPlace() {
			actRun(b, r.ID, now)
		}
	}
}

// SettleRun notes the worktree of a run, and the directory in which it works there. Its turn
// may start then.
func (c *Core) SettleRun(id run.ID, p run.Place, dir string) error {
	_, err := c.changeRun(id, func(s *state, b *store.Batch, r run.Run, now time.Time) (run.Run, error) {
		next, err := run.Settle(r, p, dir)
		if err == nil {
			s.runs.Put(b, next)
			s.startTurns(b, now)
			next, _ = s.runs.After(b, id)
		}
		return next, err
	})
	return err
}

// UnsettleRun ends a run whose worktree cannot be made.
func (c *Core) UnsettleRun(id run.ID, why string) error {
	_, err := c.changeRun(id, func(s *state, b *store.Batch, r run.Run, now time.Time) (run.Run, error) {
		next, err := run.Unsettled(r, why, now)
		if err == nil {
			s.noteRun(b, event.RunEnded, next, next.Why, now)
		}
		return next, err
	})
	return err
}
