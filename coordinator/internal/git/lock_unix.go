//go:build unix

package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockRetry is the time between two attempts to take a lock that is held elsewhere.
const lockRetry = 25 * time.Millisecond

// A repoLock is the exclusive lock of a repository. A git that inherits its Files
// holds the lock until it ends, even if this process has died. gofrs/flock cannot do
// that, because it does not expose its file.
type repoLock struct{ file *os.File }

// awaitLock takes the lock at path. It waits as long as ctx does, and then
// returns the error of ctx. A missing file is created with mode 0600. A link is an error.
func awaitLock(ctx context.Context, path string) (*repoLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("take lock: %w", err)
	}
	if err := awaitFlock(ctx, file); err != nil {
		file.Close()
		return nil, err
	}
	return &repoLock{file: file}, nil
}

func awaitFlock(ctx context.Context, file *os.File) error {
	tick := time.NewTicker(lockRetry)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR): // it is held elsewhere
		default:
			return fmt.Errorf("take lock %s: %w", file.Name(), err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Release releases the lock, even if a git still has its Files. It may be called on
// nil.
func (l *repoLock) Release() {
	if l != nil {
		_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
		l.file.Close()
	}
}

// Files returns what a child process must inherit to hold the lock. It may be
// called on nil.
func (l *repoLock) Files() []*os.File {
	if l == nil {
		return nil
	}
	return []*os.File{l.file}
}
