//go:build unix

package home

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// A Lock is an exclusive lock on a file or a directory, held by this process and
// by each program that has its Files, until Release or the death of the last of
// them. The file is never removed: a second holder would appear beside a holder of
// the removed one.
type Lock struct{ f *os.File }

// TryLock takes the lock at path without waiting. It returns nil and no error when
// somebody else holds it, in this process or in another. Where nothing is, a file
// is made, 0600; a directory is locked itself, so that no file is left in it.
func TryLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, syscall.EISDIR) {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, fmt.Errorf("take lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &Lock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	return nil, fmt.Errorf("take lock %s: %w", path, err)
}

// Release gives the lock back, also for a program that has its Files and should
// have ended. It may be called on nil.
func (l *Lock) Release() {
	if l != nil {
		_ = syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN)
		l.f.Close()
	}
}

// Files are what a program needs to hold the lock as long as it lives, whatever
// becomes of this process. Those of nil are none.
func (l *Lock) Files() []*os.File {
	if l == nil {
		return nil
	}
	return []*os.File{l.f}
}
