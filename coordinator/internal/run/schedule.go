package run

import (
	"cmp"
	"slices"
	"time"
)

// Next returns the runs whose turns start now, in order. At most most turns run at once,
// and the others wait in the order in which they were queued. A most of 0 is no limit. A run
// without its worktree is not ready.
func Next(all []Run, most int, now time.Time) (start []Run) {
	busy := 0
	for _, r := range all {
		switch {
		case r.Busy():
			busy++
		case r.NeedsPlace(), r.NotUntil.After(now):
		case r.State == Queued:
			start = append(start, r)
		}
	}
	slices.SortFunc(start, func(a, b Run) int {
		return cmp.Or(a.QueuedAt.Compare(b.QueuedAt), cmp.Compare(a.ID, b.ID))
	})
	if most == 0 {
		return start
	}
	return start[:min(len(start), max(0, most-busy))]
}
