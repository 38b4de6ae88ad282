package home

import (
	"fmt"

	"github.com/gofrs/flock"
)

// A Lock is an exclusive lock on a file, held by this process until Release or
// its death. The file is never removed: a second holder would appear beside a
// holder of the removed one.
type Lock struct{ f *flock.Flock }

// TryLock takes the lock at path without waiting. It returns nil and no error
// when somebody else holds it. The lock file is 0600.
func TryLock(path string) (*Lock, error) {
	f := flock.New(path, flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("take lock %s: %w", path, err)
	}
	if !ok {
		return nil, nil
	}
	return &Lock{f}, nil
}

// Release gives the lock back. It may be called on nil.
func (l *Lock) Release() {
	if l != nil {
		_ = l.f.Unlock()
	}
}
