package wall

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// starter is the name under which a program of Afar runs that puts up a wall and becomes another
// program. A session that starts it so gains nothing: a wall only takes away.
const starter = "afar-walled-start"

// self is the running program, also after its file was replaced.
const self = "/proc/self/exe"

// The exit codes of a starter, as those of env.
const (
	exitFailed = 125 // the wall did not go up
	exitCannot = 126 // the program cannot be started
	exitAbsent = 127 // there is no such program
)

// Start changes a command that is not yet started, so that its program, and all that it starts, are
// behind the wall from the first instruction. If the wall does not go up, the program does not start,
// and the command exits with 125. The zero Wall changes nothing.
func (w Wall) Start(cmd *exec.Cmd) error {
	if !w.Exists() || cmd.Err != nil {
		return nil
	}
	raw, err := json.Marshal(w)
	if err != nil {
		return err
	}
	cmd.Args = append([]string{starter, string(raw), cmd.Path}, cmd.Args...)
	cmd.Path = self
	return nil
}

// init makes this process a starter if it was started as one.
func init() {
	if len(os.Args) < 4 || os.Args[0] != starter {
		return
	}
	var w Wall
	err := json.Unmarshal([]byte(os.Args[1]), &w)
	switch {
	case err != nil:
	case w.Exists():
		err = w.Become(os.Args[2], os.Args[3:], os.Environ())
	default:
		err = fmt.Errorf("start %s: %w", os.Args[2], syscall.Exec(os.Args[2], os.Args[3:], os.Environ()))
	}
	fmt.Fprintln(os.Stderr, "afar:", err)
	os.Exit(ExitCode(err))
}

// ErrNotUp says that a wall did not go up.
var ErrNotUp = errors.New("the wall did not go up")

// Become puts up the wall and becomes a program. It returns only an error.
func (w Wall) Become(path string, args, env []string) error {
	if err := w.Up(); err != nil {
		return err
	}
	return fmt.Errorf("start %s: %w", path, syscall.Exec(path, args, env))
}

// Up puts up the wall around this process, for ever.
func (w Wall) Up() error {
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
