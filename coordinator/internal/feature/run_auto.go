package feature

import (
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// leftAuto tells that a run has left auto mode.
const leftAuto = "auto mode cannot check calls here, so it goes on in " + run.AcceptEdits + " and asks you instead"

// LeaveAuto takes the run of a session out of auto mode, because the check of that mode does not
// run, and tells the person. It returns whether the turn ends for that, also if another call has
// led to it. A session that is no run in auto mode stays as it is.
func (c *Core) LeaveAuto(id session.ID) (leaves bool, err error) {
	err = c.do(func(s *draft) error {
		r, _ := s.RunOf(id)
		if leaves = r.Busy() && r.Turn.LeavesAuto; leaves {
			return nil
		}
		next, err := run.LeaveAuto(r)
		if err != nil {
			return nil
		}
		leaves = true
		s.Runs.Put(s.Batch, next)
		s.NoteRun(event.RunMode, next, leftAuto)
		s.Notify("auto", id, channel.News{Kind: channel.LeftAuto, Of: next.Name, What: leftAuto})
		s.ActRun(next.ID)
		return nil
	})
	return leaves, err
}
