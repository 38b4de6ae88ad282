package hook

import (
	"context"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// firstFor is how long a typed /loop waits for its first issue. Its hook has only a
// little more time than that.
const firstFor = 3500 * time.Millisecond

// firstIssue tells the model of the first issue if it is ready within firstFor. Otherwise
// the model is told about it at its first stop.
func (s *Server) firstIssue(c *door.Call, p payload) (wire.ExpandReply, error) {
	ctx, cancel := context.WithTimeout(c.Ctx, firstFor)
	defer cancel()
	s.cfg.Core.AwaitErrand(ctx, p.Session, time.Now())
	l := s.cfg.Core.Loop(p.Session)
	if e := l.Ended; e != nil {
		return blocked("The loop ended at once, " + l.Called() + ": " + e.Note + "."), nil
	}
	intro, err := s.cfg.Core.IntroduceLoop(p.Session)
	return wire.ExpandReply{Context: intro}, err
}

// errandWait holds a Stop hook while an errand of its loop runs.
func (s *Server) errandWait(c *door.Call, p payload, in wire.ErrandWaitRequest) (out wire.ErrandWaitReply, err error) {
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	if s.cfg.Core.AwaitErrand(ctx, p.Session, time.UnixMilli(in.SinceMS)) {
		return wire.ErrandWaitReply{Wake: core.End}, nil
	}
	return wire.ErrandWaitReply{Wake: core.Wait}, nil
}
