package feature

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// LaneMemory is the lane of the actions that write memory.
const LaneMemory = "memory"

// ActKeep is an action whose data is a memory.Extract: keep it.
const ActKeep = "keep"

// An EndedTurn is the newest turn of the run of a task.
type EndedTurn struct {
	Task task.Task
	Run  run.Run
}

// TurnsToExtract returns the turns of tasks that have ended, and at which the extraction has not
// looked.
func (c *Core) TurnsToExtract() (all []EndedTurn) {
	c.view(func(s *draft) {
		for _, t := range s.Tasks.Rows {
			r := s.Runs.Rows[t.Run]
			if r.Live() && r.Settled() && r.Fence > t.Extracted.Turn {
				all = append(all, EndedTurn{t, r})
			}
		}
	})
	return all
}

// Extracted notes that the extraction has looked at a turn, and has what it found kept. to says up
// to where it has looked. A second call for a turn changes nothing.
func (c *Core) Extracted(of EndedTurn, to task.Extracted, keep memory.Extract) error {
	return c.do(func(s *draft) error {
		t, ok := s.Tasks.Rows[of.Task.Slug]
		if !ok || t.Run != of.Run.ID || to.Turn <= t.Extracted.Turn {
			return nil
		}
		t.Extracted = to
		s.Tasks.Put(s.Batch, t)
		if !keep.Empty() {
			s.Enqueue(LaneMemory, fmt.Sprintf("keep:%s:%d", of.Run.ID, to.Turn), ActKeep, core.Encode(keep))
		}
		return nil
	})
}
