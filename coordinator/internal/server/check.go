package server

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stopID tells the calls of one Stop hook from each other, and from the same
// call made again. A hook of before says nothing.
func stopID(in wire.StopRequest) string {
	if in.Ask == "" {
		return ""
	}
	return fmt.Sprintf("%s/%d", in.Ask, in.Round)
}

// checkResult is what a Stop hook says of the check that it ran; nil when it
// ran none.
func checkResult(in *wire.LoopChecked) *loop.CheckResult {
	if in == nil {
		return nil
	}
	return &loop.CheckResult{
		Frame: in.Frame, ExitCode: in.ExitCode, TimedOut: in.TimedOut, Broken: printed(in.Broken),
		Took: time.Duration(in.TookMS) * time.Millisecond, Tail: printed(in.Output), Digest: in.Digest,
	}
}

// colours are the sequences with which programs colour their output.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// printed is what a program printed as it may be kept and shown.
func printed(text string) string {
	return redact.Visible(redact.Mask(colours.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")))
}

// wireCheck is the check that the Stop hook is to run.
func wireCheck(c *loop.Check, token, cwd string) *wire.LoopCheck {
	if c == nil {
		return nil
	}
	dir := c.Dir
	if dir == "" {
		dir = cwd
	}
	return &wire.LoopCheck{Frame: c.Frame, Session: token, Command: c.Command, Dir: dir, TimeoutMS: c.Timeout.Milliseconds()}
}

// check follows a check that a Stop hook runs: it journals what it prints and
// tells the hook when nobody wants its result any more.
func (s *Server) check(c *call, in wire.CheckRequest) (out wire.CheckReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	if err := s.cfg.Core.Checking(p.Session, printed(in.Output)); err != nil {
		return out, err
	}
	if in.Ended == wire.Interrupted {
		return wire.CheckReply{Wake: core.End}, s.cfg.Core.InterruptCheck(p.Session, in.Frame)
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(in.WaitMS))
	defer cancel()
	if s.silent(in.HookCall) || s.cfg.Core.AwaitCheck(ctx, p.Session, in.Frame) {
		return wire.CheckReply{Wake: core.End}, nil
	}
	return wire.CheckReply{Wake: core.Wait}, nil
}

// allowCheck has the guard judge a check once, before the loop starts. What the
// guard would only ask about, the person has said by typing it.
func (s *Server) allowCheck(command, cwd, project string) error {
	where := callsite.Context(s.cfg.Dirs, s.cfg.Bin, cwd, project)
	where.Git, where.Merged = nil, nil // nothing of the moment: the check runs again and again
	d := guard.Judge(guard.Call{Tool: "Bash", Args: []guard.Arg{{Path: "command", Value: command}}}, where)
	if d.Verdict == guard.Deny {
		return fmt.Errorf("the guard refuses this check: %s (%s)", d.Person, d.Rule)
	}
	return nil
}
