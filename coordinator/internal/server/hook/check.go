package hook

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
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

// wireCheck returns the check that the Stop hook of a session is to run, nil for none. A run that is behind a
// wall has its check behind it.
func (s *Server) wireCheck(c *loop.Check, id session.ID, token, cwd string) *wire.LoopCheck {
	if c == nil {
		return nil
	}
	dir := c.Dir
	if dir == "" {
		dir = cwd
	}
	r, _ := s.cfg.Core.RunOf(id)
	return &wire.LoopCheck{
		Frame:     c.Frame,
		Session:   token,
		Command:   c.Command,
		Dir:       dir,
		TimeoutMS: c.Timeout.Milliseconds(),
		Walled:    s.mayWall() && !r.Walled(),
	}
}

// check follows a check that a Stop hook runs. It journals the check's output, and tells
// the hook when the result is no longer wanted.
func (s *Server) check(c *door.Call, p payload, in wire.CheckRequest) (out wire.CheckReply, err error) {
	if err := s.cfg.Core.Checking(p.Session, cleanOutput(in.Output)); err != nil {
		return out, err
	}
	if in.Ended == wire.Interrupted {
		return wire.CheckReply{Wake: core.End}, s.cfg.Core.InterruptCheck(p.Session, in.Frame)
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	if s.silent(in.HookCall) || s.cfg.Core.AwaitCheck(ctx, p.Session, in.Frame) {
		return wire.CheckReply{Wake: core.End}, nil
	}
	return wire.CheckReply{Wake: core.Wait}, nil
}
