// Package child runs programs of others within limits. No program can ask a question,
// print without end, run for ever, or go on when it is no longer wanted.
package child

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/wall"
)

// maxSaid is how much of a program's stderr is kept, in bytes.
const maxSaid = 64 << 10

// A Program is one run of a program. It has a session of its own, so it has no terminal
// to ask at, and one process group for everything that it starts. It has a birthmark
// from its first instruction, so nothing of it can decide for the person.
type Program struct {
	Path string   // absolute, see Find; or a name that is looked up in this process's PATH
	Args []string // visible in the list of processes
	Dir  string   // "" is that of this process
	Env  []string // the whole environment; nil is that of this process
	In   string   // its whole stdin

	// Limit is how long it may run, 0 for no limit. Grace is how long it may go on after
	// it was told to end, and is more than 0. Its children may keep its output open as
	// long as Grace.
	Limit, Grace time.Duration
	// Most is how many bytes of its output are taken. If it prints more, it is told
	// to end.
	Most int
	// Lines gets the output while the program runs, in place of Output.Text; Most is then
	// not used. It may be nil. A Write that waits must return when the context of Run ends.
	Lines io.Writer

	// Outlives lets the program go on when this process dies. It also lets its
	// children go on after it ended by itself. It is for a program that has, in
	// Files, the lock that keeps others from its work.
	Outlives bool
	Files    []*os.File // open in it as 3, 4 and so on; only with Outlives, and not on Windows

	Wall  wall.Wall       // around it and all that it starts; the zero Wall is none
	Level birthmark.Level // the highest birthmark that it may have, 0 is birthmark.Client

	Started func(pid int) // called once it runs; may be nil
}

// Output is what a program printed.
type Output struct {
	Text []byte // the first Most bytes
	Cut  bool   // there was more; the error of Run then says nothing about the program
	Said string // the last 64 KiB of its stderr, as valid UTF-8
}

// Run runs the program to its end. It always returns what the program printed. The
// error is an *exec.ExitError if the program failed, the error of ctx if ctx ended,
// "no answer within" Limit, or the reason why the program did not start. It never
// contains output of the program.
//
// At its time limit, the whole process group of the program is told to end with
// SIGTERM, and killed after Grace. If the program ends by itself, the rest of its group
// is killed at once, unless Outlives is set. A daemon that left the group goes on. If
// this process dies, even by kill -9, the group is killed too.
//
// On Windows there are no groups. Only the program itself is killed, and it goes on if
// this process dies.
func (p Program) Run(ctx context.Context) (Output, error) {
	path, err := exec.LookPath(p.Path)
	if err != nil {
		return Output{}, fmt.Errorf("start: %w", err)
	}
	limit, over := p.within(ctx)
	defer over()
	limit, full := context.WithCancelCause(limit)
	defer full(nil)
	out, said := &beginning{most: p.Most, full: func() { full(errFull) }}, &end{most: maxSaid}
	cmd := exec.CommandContext(limit, path, p.Args...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = p.Dir, p.environment(), p.Files
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(p.In), out, said
	if p.Lines != nil {
		cmd.Stdout = p.Lines
	}
	cmd.WaitDelay = p.Grace
	err = p.run(cmd)
	result := Output{Text: out.text, Said: strings.ToValidUTF8(string(said.text), "\uFFFD"), Cut: out.cut}
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // output of its children was cut off
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

// within returns ctx with the time limit of the program.
func (p Program) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, p.Limit, fmt.Errorf("no answer within %s", p.Limit))
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
	birthmark.Mark(cmd, cmp.Or(p.Level, birthmark.Client))
	if err := p.Wall.Start(cmd); err != nil {
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

// environment returns the environment with PWD, as a shell sets it.
func (p Program) environment() []string {
	if p.Env == nil || p.Dir == "" {
		return p.Env // os/exec sets PWD if the environment is nil
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
	if n < len(p) {
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
