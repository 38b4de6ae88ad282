package home

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often AwaitLock tries a lock that is held elsewhere.
const lockRetry = 25 * time.Millisecond

// A Lock is an exclusive lock on a file or a directory. This process holds it
// until Release or until it dies. The file is never removed: a second process
// could then lock a new file while the first still holds the old one.
type Lock struct {
	flock   *flock.Flock
	cleanup string // file to remove on Release, if not empty
}

// TryLock takes the lock at path without waiting. It returns nil and no error
// when this process or another one holds the lock. A missing file is created
// with mode 0600. A directory is locked without leaving a file in it.
func TryLock(path string) (*Lock, error) {
	l := newLock(path)
	ok, err := l.flock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("take lock %s: %w", path, err)
	}
	if !ok {
		return nil, nil
	}
	return l, nil
}

func newLock(path string) *Lock {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return lockDir(path)
	}
	return &Lock{flock: flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))}
}

// AwaitLock waits for the lock at path and takes it. If ctx ends first, it returns the
// error of ctx.
func AwaitLock(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(lockRetry)
	defer tick.Stop()
	for {
		if l, err := TryLock(path); err != nil || l != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// Sign writes the id and the birth of this process into the lock's file, for Signer.
func (l *Lock) Sign(born string) error {
	return os.WriteFile(l.flock.Path(), fmt.Appendln(nil, os.Getpid(), born), 0o600)
}

// Signer returns the id and the birth of the process that last signed the lock at path, 0 for none.
// That process may have ended.
func Signer(path string) (pid int, born string) {
	raw, _ := os.ReadFile(path)
	said, born, _ := strings.Cut(strings.TrimSpace(string(raw)), " ")
	pid, _ = strconv.Atoi(said)
	return max(pid, 0), born
}

// Release gives the lock back. It may be called on nil.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = l.flock.Unlock()
	if l.cleanup != "" {
		_ = os.Remove(l.cleanup)
	}
}

// HasCoordinator reports whether a coordinator holds the life lock. It takes a free lock for an
// instant, so call it only when no coordinator answers.
func (d Dirs) HasCoordinator() bool {
	if _, err := os.Stat(d.LifeLock()); err != nil {
		return false
	}
	lock, err := TryLock(d.LifeLock())
	if err != nil {
		return false
	}
	defer lock.Release()
	return lock == nil
}
