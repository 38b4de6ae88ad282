package server

import (
	"context"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/wire"
)

// firstFor is how long a typed /loop waits for its first issue. Its hook has only a
// little more time than that.
const firstFor = 3500 * time.Millisecond

// repository returns the main checkout of the repository whose issues a loop without a
// task works through.
func (s *Server) repository(ctx context.Context, cwd string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitFor)
	defer cancel()
	top, err := s.cfg.Git.Top(ctx, cwd)
	switch {
	case err == nil:
		return top, nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w: git did not say within %s which repository %s is in: try again", loop.ErrNoTask, gitFor, cwd)
	}
	return "", fmt.Errorf("%w: say what to do, as in /loop --max 5 make the tests pass "+
		"(without a task a git repository's issues are worked through, and %s is in none)", loop.ErrNoTask, cwd)
}

// firstIssue tells the model of the first issue if it is ready within firstFor. Otherwise
// the model is told about it at its first stop.
func (s *Server) firstIssue(c *call, p payload) (wire.ExpandReply, error) {
	ctx, cancel := context.WithTimeout(c.ctx, firstFor)
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
func (s *Server) errandWait(c *call, in wire.ErrandWaitRequest) (out wire.ErrandWaitReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(in.WaitMS))
	defer cancel()
	if s.cfg.Core.AwaitErrand(ctx, p.Session, time.UnixMilli(in.SinceMS)) {
		return wire.ErrandWaitReply{Wake: core.End}, nil
	}
	return wire.ErrandWaitReply{Wake: core.Wait}, nil
}

func wireIssue(is *loop.Issue) *wire.LoopIssue {
	if is == nil {
		return nil
	}
	return &wire.LoopIssue{
		Repo:   is.Repo,
		Phase:  string(is.Phase),
		ID:     is.ID,
		Title:  is.Title,
		Commit: is.Commit,
		Review: is.Verdict,
		Held:   is.Held,
		Landed: is.Landed,
		Left:   is.Left,
	}
}
