package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
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
	d, _ := s.judgeCheck(command, cwd, project)
	return refusedCheck(d)
}

func refusedCheck(d guard.Decision) error {
	if d.Verdict == guard.Deny {
		return fmt.Errorf("the guard refuses this check: %s (%s)", d.Person, d.Rule)
	}
	return nil
}

// judgeCheck returns what the guard says of a check, and the files that the check runs, as far as the
// guard follows it.
func (s *Server) judgeCheck(command, cwd, project string) (d guard.Decision, files []string) {
	where := callsite.Context(s.cfg.Dirs, s.cfg.Bin, cwd, project)
	where.Git, where.Merged = nil, nil // the check runs many times, so the state of the work tree must not matter
	where.Steps = true
	read, text := map[string]bool{}, where.FileText
	where.FileText = func(path string) (string, bool) {
		if !strings.HasSuffix(path, "/") { // not the names in a directory
			read[path] = true
		}
		return text(path)
	}
	d = guard.Judge(guard.ShellCall(command), where)
	addPrograms(read, d.Steps, filepath.SplitList(s.cfg.Dirs.Path))
	return d, slices.Sorted(maps.Keys(read))
}

// mostRun bounds the files of a check that are looked at.
const mostRun = 500

// addPrograms adds the files that the commands below a step run, or give another program to run. The
// guard reads only those that are text and not installed. folders are those of the PATH; what lies where
// only an administrator writes is left out.
func addPrograms(files map[string]bool, step *guard.Step, folders []string) {
	if step == nil {
		return
	}
	for _, next := range step.Steps {
		for i, word := range next.Words {
			path := word
			if !filepath.IsAbs(path) {
				path = filepath.Join(next.Dir, path)
			}
			if i == 0 && !strings.Contains(word, "/") {
				path = inFolders(word, folders)
			}
			isRun := i == 0 && path != "" || i > 0 && isProgram(path)
			if isRun && next.Away == "" && !(home.UsedProgram{File: path}).IsSystems() && len(files) < mostRun {
				files[path] = true
			}
		}
		addPrograms(files, next, folders)
	}
}

// inFolders returns the first program of a name in some folders, "" for none.
func inFolders(name string, folders []string) string {
	for _, dir := range folders {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isProgram(path) {
			return path
		}
	}
	return ""
}

// isProgram reports whether a path leads to a program or to code.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return info.Mode()&0o111 != 0 || slices.Contains(codeEnds, strings.ToLower(filepath.Ext(path)))
}

// codeEnds are the ends of the names of files that an interpreter runs.
var codeEnds = strings.Fields(".sh .bash .zsh .fish .py .pyz .js .mjs .cjs .ts .mts .rb .pl .pm .php .lua .r .jl " +
	".tcl .awk .sed .jq .sql .mk .gradle .groovy .exs .clj .scm .el .hs .ml .ps1 .jar .class .dll .wasm .so")

// JudgeWake returns why the guard does not simply allow the check of a wake-up in a directory, a digest
// of the files that it runs, and whether the guard denies it.
func (s *Server) JudgeWake(ctx context.Context, command, dir string) (why, runs string, denied bool, err error) {
	d, files := s.judgeCheck(command, dir, dir)
	runs, err = digestOf(ctx, files)
	return risk(d), runs, d.Verdict == guard.Deny, err
}

// digestOf returns a digest of the content of files. One that is missing or cannot be read has none.
func digestOf(ctx context.Context, files []string) (string, error) {
	all := sha256.New()
	for _, path := range files {
		sum, _, err := disk.Digest(ctx, path)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			sum = ""
		}
		fmt.Fprintf(all, "%q %s\n", path, sum)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// risk returns why the guard would ask about a call, "" if it would not.
func risk(d guard.Decision) string {
	if d.Verdict == guard.None {
		return ""
	}
	return text.Fold(redact.Clean(d.Person))
}
