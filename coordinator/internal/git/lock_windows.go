package git

import (
	"context"
	"os"

	"github.com/afar-sh/afar/coordinator/home"
)

// A repoLock is the exclusive lock of a repository. On Windows a child process
// cannot inherit it.
type repoLock struct{ *home.Lock }

// awaitLock takes the lock at path. It waits as long as ctx does, and then
// returns the error of ctx.
func awaitLock(ctx context.Context, path string) (*repoLock, error) {
	lock, err := home.AwaitLock(ctx, path)
	if err != nil {
		return nil, err
	}
	return &repoLock{lock}, nil
}

// Release releases the lock. It may be called on nil.
func (l *repoLock) Release() {
	if l != nil {
		l.Lock.Release()
	}
}

// Files returns nil: no child process can inherit the lock.
func (l *repoLock) Files() []*os.File { return nil }
