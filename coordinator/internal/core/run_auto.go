package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// leftAuto tells that a run has left auto mode.
const leftAuto = "auto mode cannot check calls here, so it goes on in " + run.AcceptEdits + " and asks you instead"

// LeaveAuto takes the run of a session out of auto mode, because the check of that mode does not
// run, and tells the person. It returns whether the turn ends for that, also if another call has
// led to it. A session that is no run in auto mode stays as it is.
func (c *Core) LeaveAuto(id session.ID) (leaves bool, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		r, _ := s.runOf(&b, id)
		if leaves = r.Busy() && r.Turn.LeavesAuto; leaves {
			return b, nil
		}
		next, err := run.LeaveAuto(r)
		if err != nil {
			return b, nil
		}
		leaves = true
		s.runs.Put(&b, next)
		s.noteRun(&b, event.RunMode, next, leftAuto, now)
		s.notify(&b, "auto", id, channel.News{Kind: channel.LeftAuto, Of: next.Name, What: leftAuto}, now)
		actRun(&b, next.ID, now)
		return b, nil
	})
	return leaves, err
}
