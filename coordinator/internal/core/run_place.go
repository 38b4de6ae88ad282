package core

import "github.com/afar-sh/afar/coordinator/internal/run"

// ActRunClear has a Cleared as its data: remove the files and the worktree of a run that was
// removed.
const ActRunClear = "run-clear"

// A Cleared is a run that was removed, as its files are found.
type Cleared struct {
	ID    run.ID    `json:"id"`
	Name  string    `json:"name"`
	Place run.Place `json:"place,omitzero"`
}

func (s *Draft) clearRun(r run.Run) {
	lane := LaneRun + string(r.ID)
	s.Enqueue(lane, "clear:"+lane, ActRunClear, Encode(Cleared{ID: r.ID, Name: r.Name, Place: r.Place}))
}

// askForPlaces has the worktrees made for which turns wait.
func (s *Draft) askForPlaces(all []run.Run) {
	for _, r := range all {
		if r.NeedsPlace() {
			s.ActRun(r.ID)
		}
	}
}

// SettleRun notes the worktree of a run, and the directory in which it works there. Its turn
// may start then.
func (c *Core) SettleRun(id run.ID, p run.Place, dir string) error {
	_, err := c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		next, err := run.Settle(r, p, dir)
		if err == nil {
			s.Runs.Put(s.Batch, next)
			s.StartTurns()
			next, _ = s.Runs.After(s.Batch, id)
		}
		return next, err
	})
	return err
}

// UnsettleRun ends a run whose worktree cannot be made.
func (c *Core) UnsettleRun(id run.ID, why string) error {
	_, err := c.ChangeRun(id, func(s *Draft, r run.Run) (run.Run, error) {
		next, err := run.Unsettled(r, why, s.Now)
		if err == nil {
			s.failRun(next, next.Why)
			next, _ = s.Runs.After(s.Batch, id)
		}
		return next, err
	})
	return err
}
