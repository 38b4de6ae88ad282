package wall

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// The exit codes of a command that did not start, as those of env.
const (
	exitFailed = 125 // the wall did not go up
	exitCannot = 126 // the program cannot be started
	exitAbsent = 127 // there is no such program
)

// ErrNotUp says that a wall did not go up.
var ErrNotUp = errors.New("the wall did not go up")

// Start starts a command, so that its program, and all that it starts, are behind the wall from the first
// instruction. If the wall does not go up, nothing starts, and the error is ErrNotUp. The zero Wall
// changes nothing.
//
// Only the thread that starts the program is behind the wall: a child has what its thread has.
func (w Wall) Start(cmd *exec.Cmd) error {
	if !w.Exists() || cmd.Err != nil {
		return cmd.Start()
	}
	return onOwnThread(func() error {
		if err := w.putUp(); err != nil {
			return err
		}
		return cmd.Start()
	})
}

// Become puts up the wall and becomes a program. It returns only an error, and only to end this process:
// its thread may be behind the wall then.
func (w Wall) Become(path string, args, env []string) error {
	return onOwnThread(func() error {
		if err := w.putUp(); err != nil {
			return err
		}
		return fmt.Errorf("start %s: %w", path, syscall.Exec(path, args, env))
	})
}

// putUp puts up the wall around this thread, for ever.
func (w Wall) putUp() error {
	for _, dir := range w.Make {
		_ = os.MkdirAll(dir, 0o700) // without it the tool says what it lacks
	}
	for _, path := range w.Touch {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600); err == nil { // else it is there
			f.Close()
		}
	}
	if err := w.up(ABI()); err != nil {
		return fmt.Errorf("%w, so nothing was started: %w", ErrNotUp, err)
	}
	return nil
}

// ExitCode returns the exit code of a command that did not start because of an error, as env has it.
func ExitCode(err error) int {
	switch {
	case errors.Is(err, ErrNotUp):
		return exitFailed
	case errors.Is(err, os.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return exitAbsent
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return exitCannot
	}
	return exitFailed
}
