package run

import (
	"fmt"
	"time"
)

// A Place is the git worktree of a run. It is zero for a run that works where it was started,
// and until the worktree is made.
type Place struct {
	Repo       string `json:"repo"` // the top of the main checkout
	Path       string `json:"path"` // absolute
	Branch     string `json:"branch"`
	Base       string `json:"base"` // the short name of the branch to land on
	BaseCommit string `json:"base_commit"`
}

// NeedsPlace reports whether r waits for its worktree: no turn starts before it is made.
func (r Run) NeedsPlace() bool { return r.State == Queued && r.Worktree && r.Place == Place{} }

// Settle gives r its worktree. dir is the directory in which it works there. A run keeps the
// first one.
func Settle(r Run, p Place, dir string) (Run, error) {
	if !r.Worktree || r.Removed {
		return r.unfit("give a worktree to")
	}
	if r.Place == (Place{}) {
		r.Place, r.Dir = p, dir
	}
	return r, nil
}

// Unsettled ends a run whose worktree cannot be made.
func Unsettled(r Run, why string, now time.Time) (Run, error) {
	if !r.NeedsPlace() {
		return r.unfit("give up the worktree of")
	}
	r.Why = fmt.Sprintf("its worktree cannot be made: %s", why)
	return r.to(Failed, now), nil
}
