package home

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// A Lock is an exclusive lock on a file or a directory, held by this process until
// Release or its death. The file is never removed, but for that in a directory.
type Lock struct {
	f    *flock.Flock
	gone string // is removed with the lock
}

// TryLock takes the lock at path without waiting. It returns nil and no error when
// somebody else holds it, in this process or in another. Where nothing is, a file
// is made. A directory cannot be locked here: a file .lock in it is, and is
// removed with the lock, which the system refuses while anybody else has it open.
func TryLock(path string) (*Lock, error) {
	l := &Lock{}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ".lock")
		l.gone = path
	}
	l.f = flock.New(path, flock.SetPermissions(0o600))
	ok, err := l.f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("take lock %s: %w", path, err)
	}
	if !ok {
		return nil, nil
	}
	return l, nil
}

// Release gives the lock back. It may be called on nil.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = l.f.Unlock()
	if l.gone != "" {
		_ = os.Remove(l.gone)
	}
}

// Files are none: a program that outlives this process does not hold the lock
// here.
func (l *Lock) Files() []*os.File { return nil }
