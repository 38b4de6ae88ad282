package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// A starter starts coordinators in the background for a home, while it holds the start lock. All
// other callers only dial. So only one coordinator a second is started, however
// many callers wait for it. The coordinators' life lock decides which of them serves.
type starter struct {
	client *Client
	began  time.Time // when the caller began to wait
	lock   *home.Lock
	last   time.Time
	failed <-chan error // how the last coordinator that was started has failed
}

func (s *starter) release() { s.lock.Release() }

// start starts a coordinator unless one answers, another process is the starter,
// or the last coordinator may still be starting. It returns ErrCannotStart if the
// last one has failed.
func (s *starter) start() (err error) {
	if err := s.failure(); err != nil {
		return err
	}
	if s.lock == nil {
		if err := s.client.Dirs.MakeRun(); err != nil {
			return fmt.Errorf("%w: %w", ErrCannotStart, err)
		}
		s.lock, err = home.TryLock(s.client.Dirs.StartLock())
		if errors.Is(err, fs.ErrPermission) {
			return nil // behind a wall: a process outside starts one
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrCannotStart, err)
		}
	}
	if s.lock == nil || time.Since(s.last) < startEvery || s.client.Answering() {
		return nil
	}
	s.last = time.Now()
	if s.failed, err = s.client.spawn(); err != nil {
		return fmt.Errorf("%w: start coordinator: %w", ErrCannotStart, err)
	}
	return nil
}

// failure returns why a coordinator has failed to start, nil if none has.
func (s *starter) failure() error {
	since := s.began
	if s.client.Remember {
		since = time.Now().Add(-home.FailureFor)
	}
	reason, at := s.client.Dirs.Failure()
	if reason != "" && at.After(since) {
		return fmt.Errorf("%w: %s", ErrCannotStart, reason)
	}
	select {
	case err := <-s.failed:
		if s.client.Answering() {
			return nil // another one was faster
		}
		return fmt.Errorf("%w: %w", ErrCannotStart, err)
	default:
		return nil
	}
}

// giveUp notes that a coordinator was started and did not answer in time.
func (s *starter) giveUp() {
	late := !s.last.IsZero() && time.Since(s.began) > startEvery
	if late && s.client.Remember && !s.client.Answering() {
		// Without the note the next caller waits as long.
		_ = s.client.Dirs.NoteFailure("it was started and did not answer in time")
	}
}

// spawn starts a coordinator in a session of its own, so that it outlives the
// hook and the terminal, and with an environment of its own. The channel gets an
// error if the coordinator fails, but not if it is killed or told to stop.
func (c *Client) spawn() (failed <-chan error, err error) {
	exe := home.Program(c.Bin, "afar")
	log, err := c.openLog()
	if err != nil {
		return nil, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	env, token, err := handDown(c.Env())
	if err != nil {
		return nil, err
	}
	files := []*os.File{null, log, log}
	if token != nil {
		defer token.Close()
		files = append(files, token)
	}
	p, err := os.StartProcess(exe, []string{exe, "serve"}, &os.ProcAttr{
		Dir: string(filepath.Separator), Env: env, Files: files, Sys: Detached(),
	})
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		if state, err := p.Wait(); err == nil && state.ExitCode() > 0 {
			ended <- fmt.Errorf("%s ended with %s", exe, state)
		}
	}()
	return ended, nil
}

// openLog opens the file for the coordinator's output before its own log is open,
// and for the output of a crash.
func (c *Client) openLog() (*os.File, error) {
	dir := filepath.Dir(c.Dirs.Log())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, "crash.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
