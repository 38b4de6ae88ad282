// Package child runs other people's programs and keeps them in bounds. No program can
// ask a question, print without end, run for ever, or stay behind when it is no longer
// wanted.
package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// maxSaid is how much of a program's stderr is kept, in bytes.
const maxSaid = 64 << 10

// A Program is one run of a program. It has a session of its own, so it has no terminal
// to ask at, and one process group for everything that it starts.
type Program struct {
	Path string   // absolute, see Find; or a name that is looked up in this process's PATH
	Args []string // they show in the list of processes
	Dir  string   // "" is this process's
	Env  []string // all of it; nil is this process's
	In   string   // its stdin, which ends there

	// Limit is how long it may take, and Grace how long it may go on after it was
	// told to end; both are more than 0. What it left behind may hold its output
	// open as long as Grace.
	Limit, Grace time.Duration
	// Most is how much of its output is taken, in bytes. It is told to end when it
	// prints more.
	Most int

	// Outlives lets it come to its own end when this process dies, and lets what
	// it leaves behind stay after an end of its own. It is for a program that
	// holds, in Files, the lock which keeps others from its work.
	Outlives bool
	Files    []*os.File // open in it as 3, 4 and so on; with Outlives alone, and not on Windows

	Started func(pid int) // called once it runs; may be nil
}

// Output is what a program printed.
type Output struct {
	Text []byte // the first Most bytes
	Cut  bool   // there was more, and how the program ended says nothing
	Said string // the last 64 KiB of its stderr, as valid UTF-8
}

// Run runs the program to its end and returns what it printed, in any case. The
// error is an *exec.ExitError when it did not end well, ctx's own when ctx ended,
// "no answer within" Limit, or says why it could not be started; never what the
// program said, which is data.
//
// A program whose time is over is told to end (SIGTERM), it and all that is in
// its group, and what is left of them after Grace is killed. What it leaves in
// its group when it ends by itself is killed at once; but see Outlives. A daemon
// that left the group is not touched. The death of this process ends the group too,
// even a kill -9.
//
// On Windows there are no groups: the program itself is killed, and what it
// started stays, as does the program when this process dies.
func (p Program) Run(ctx context.Context) (Output, error) {
	path, err := exec.LookPath(p.Path)
	if err != nil {
		return Output{}, fmt.Errorf("start: %w", err)
	}
	limit, over := context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("no answer within %s", p.Limit))
	defer over()
	limit, full := context.WithCancelCause(limit)
	defer full(nil)
	out, said := &beginning{most: p.Most, full: func() { full(errFull) }}, &end{most: maxSaid}
	cmd := exec.CommandContext(limit, path, p.Args...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = p.Dir, p.environment(), p.Files
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.In), out, said
	cmd.WaitDelay = p.Grace
	err = p.run(cmd)
	result := Output{Text: out.text, Said: strings.ToValidUTF8(string(said.text), "\uFFFD"), Cut: out.cut}
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay): // what it left behind was cut off
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case out.cut:
		return result, nil
	case limit.Err() != nil:
		return result, context.Cause(limit)
	}
	return result, err
}

// run starts the command and waits until it and its group have ended.
func (p Program) run(cmd *exec.Cmd) error {
	g := separate(cmd)
	if !p.Outlives {
		untie, err := g.tie()
		if err != nil {
			return fmt.Errorf("tie %s to this process: %w", p.Path, err)
		}
		defer untie()
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if p.Started != nil {
		p.Started(cmd.Process.Pid)
	}
	err := cmd.Wait()
	if !p.Outlives || g.wasTold() {
		g.end(p.Grace)
	}
	return err
}

// environment says where the program is, as a shell would have it.
func (p Program) environment() []string {
	if p.Env == nil || p.Dir == "" {
		return p.Env // os/exec does it for nil
	}
	return append(slices.Clip(p.Env), "PWD="+p.Dir)
}

var errFull = errors.New("too much output")

// A beginning keeps the first bytes that are written to it. It calls full when there are
// more.
type beginning struct {
	text []byte
	most int
	cut  bool
	full func()
}

func (b *beginning) Write(p []byte) (int, error) {
	n := min(len(p), b.most-len(b.text))
	b.text = append(b.text, p[:n]...)
	if n < len(p) && !b.cut {
		b.cut = true
		b.full()
	}
	return len(p), nil
}

// An end keeps the last bytes that are written to it.
type end struct {
	text []byte
	most int
}

func (e *end) Write(p []byte) (int, error) {
	e.text = append(e.text, p...)
	e.text = e.text[max(0, len(e.text)-e.most):]
	return len(p), nil
}
