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
	s := starter{client: c}
	defer s.release()
	return s.start()
}

// A starter is the one process that starts coordinators for a home, for as long
// as it holds the start lock. Everybody else only dials: however many callers
// wait for a coordinator that does not come, one process a second is started.
type starter struct {
	client *Client
	lock   *home.Lock
	last   time.Time
}

func (s *starter) release() { s.lock.Release() }

// start starts a coordinator unless one answers, somebody else is the starter,
// or the last one has not had its time.
func (s *starter) start() (err error) {
	if s.lock == nil {
		if err := s.client.Dirs.MakeRun(); err != nil {
			return fmt.Errorf("start coordinator: %w", err)
		}
		if s.lock, err = home.TryLock(s.client.Dirs.StartLock()); err != nil {
			return fmt.Errorf("start coordinator: %w", err)
		}
	}
	if s.lock == nil || time.Since(s.last) < startEvery || s.client.Answering() {
		return nil
	}
	s.last = time.Now()
	return s.client.spawn()
}

// spawn gives the coordinator its own session, so that it outlives the hook and
// its terminal, and an environment of its own.
func (c *Client) spawn() error {
	exe := home.Program(c.Bin, "afar")
	log, err := c.openLog()
	if err != nil {
		return fmt.Errorf("start coordinator: %w", err)
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("start coordinator: %w", err)
	}
	defer null.Close()
	env, token, err := handDown(c.Env())
	if err != nil {
		return fmt.Errorf("start coordinator: %w", err)
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
		return fmt.Errorf("start coordinator: %w", err)
	}
	return p.Release()
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
