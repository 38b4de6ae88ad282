package home

import (
	"context"
	"time"
)

// lockEvery is how often a lock that somebody holds is tried again.
const lockEvery = 25 * time.Millisecond

// AwaitLock takes the lock at path, and waits for it as long as ctx does; the error
// is then that of ctx.
func AwaitLock(ctx context.Context, path string) (*Lock, error) {
	tick := time.NewTicker(lockEvery)
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
