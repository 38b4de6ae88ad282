//go:build unix

package git

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A lock is an exclusive lock on a file, held by this process and by each git
// that it was shared with, until the last of them has ended or until release.
// home.Lock cannot be shared. The file is never removed.
type lock struct{ f *os.File }

// tryLock returns nil and no error when somebody else holds it.
func tryLock(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	return nil, fmt.Errorf("take lock %s: %w", path, err)
}

func (l *lock) release() {
	if l != nil {
		_ = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN) // also for a child that should have ended
		l.f.Close()
	}
}

// files are what a git needs to hold the lock as long as it lives, whatever
// becomes of us.
func (l *lock) files() []*os.File {
	if l == nil {
		return nil
	}
	return []*os.File{l.f}
}
