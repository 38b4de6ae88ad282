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
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stopID returns an id for one call of a Stop hook. The same call made again has the same
// id. It returns "" for a hook of an older version, which sends no check-in id.
func stopID(in wire.StopRequest) string {
	if in.Ask == "" {
		return ""
	}
	return fmt.Sprintf("%s/%d", in.Ask, in.Round)
}

// checkResult returns the result of the check that a Stop hook ran, nil if it ran none.
func checkResult(in *wire.LoopChecked) *loop.CheckResult {
	if in == nil {
		return nil
	}
	return &loop.CheckResult{
		Frame: in.Frame, ExitCode: in.ExitCode, TimedOut: in.TimedOut, Broken: cleanOutput(in.Broken),
		Took: time.Duration(in.TookMS) * time.Millisecond, Tail: cleanOutput(in.Output), Digest: in.Digest,
	}
}

// colours matches the escape sequences that colour a program's output.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// cleanOutput returns a program's output without colours and secrets, fit to be kept and
// shown.
func cleanOutput(text string) string {
	return redact.Clean(colours.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), ""))
}

// wireCheck returns the check that the Stop hook is to run, nil for none.
func wireCheck(c *loop.Check, token, cwd string) *wire.LoopCheck {
	if c == nil {
		return nil
	}
	dir := c.Dir
	if dir == "" {
		dir = cwd
	}
	return &wire.LoopCheck{
		Frame:     c.Frame,
		Session:   token,
		Command:   c.Command,
		Dir:       dir,
		TimeoutMS: c.Timeout.Milliseconds(),
	}
}

// check follows a check that a Stop hook runs. It journals the check's output, and tells
// the hook when the result is no longer wanted.
func (s *Server) check(c *call, in wire.CheckRequest) (out wire.CheckReply, err error) {
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	if err := s.cfg.Core.Checking(p.Session, cleanOutput(in.Output)); err != nil {
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

// allowCheck has the guard judge a check once, before the loop starts. It returns an
// error only if the guard denies the check. If the guard would ask, the person has
// already answered by typing the check.
func (s *Server) allowCheck(command, cwd, project string) error {
	return refusedCheck(s.judgeCheck(command, cwd, project))
}

func refusedCheck(d guard.Decision) error {
	if d.Verdict == guard.Deny {
		return fmt.Errorf("the guard refuses this check: %s (%s)", d.Person, d.Rule)
	}
	return nil
}

// judgeCheck returns what the guard says of a check.
func (s *Server) judgeCheck(command, cwd, project string) guard.Decision {
	where := callsite.Context(s.cfg.Dirs, s.cfg.Bin, cwd, project)
	where.Git, where.Merged = nil, nil // the check runs many times, so the state of the work tree must not matter
	return guard.Judge(guard.Call{Tool: "Bash", Args: []guard.Arg{{Path: "command", Value: command}}}, where)
}

// JudgeWake returns why the guard does not simply allow the check of a wake-up in a directory, and
// whether it denies it.
func (s *Server) JudgeWake(command, dir string) (why string, denied bool) {
	d := s.judgeCheck(command, dir, dir)
	return risk(d), d.Verdict == guard.Deny
}

// risk returns why the guard would ask about a call, "" if it would not.
func risk(d guard.Decision) string {
	if d.Verdict == guard.None {
		return ""
	}
	return text.Fold(redact.Clean(d.Person))
}
