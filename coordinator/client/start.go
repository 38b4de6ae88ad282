package client

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// Start starts a coordinator in the background and returns without waiting for
// it. Where somebody else is starting one just now, it does nothing: one
// starter is enough, and the coordinator's own life lock decides who serves.
func (c *Client) Start() error {
	s := starter{client: c, began: time.Now()}
	defer s.release()
	return s.start()
}

// A starter is the one process that starts coordinators for a home, for as long
// as it holds the start lock. Everybody else only dials: however many callers
// wait for a coordinator that does not come, one process a second is started.
type starter struct {
	client *Client
	began  time.Time // when the caller began to wait
	lock   *home.Lock
	last   time.Time
	failed <-chan error // of the last one that was started: how it ended
}

func (s *starter) release() { s.lock.Release() }

// start starts a coordinator unless one answers, somebody else is the starter,
// or the last one has not had its time. It returns ErrCannotStart when the last
// one has failed.
func (s *starter) start() (err error) {
	if err := s.failure(); err != nil {
		return err
	}
	if s.lock == nil {
		if err := s.client.Dirs.MakeRun(); err != nil {
			return fmt.Errorf("%w: %w", ErrCannotStart, err)
		}
		if s.lock, err = home.TryLock(s.client.Dirs.StartLock()); err != nil {
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

// failure is why a coordinator that was started has failed, nil where none has.
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

// giveUp remembers that a coordinator was started and did not come in time.
func (s *starter) giveUp() {
	late := !s.last.IsZero() && time.Since(s.began) > startEvery
	if late && s.client.Remember && !s.client.Answering() {
		_ = s.client.Dirs.NoteFailure("it was started and did not answer in time") // else the next caller waits as long
	}
}

// spawn gives the coordinator its own session, so that it outlives the hook and
// its terminal, and an environment of its own. The channel gets an error when it
// ends as a program that failed; one that was killed or told to stop has not.
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

// openLog opens the file for what the coordinator prints before its own log is
// open, and for a crash.
func (c *Client) openLog() (*os.File, error) {
	dir := filepath.Dir(c.Dirs.Log())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, "crash.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
