//go:build unix

package git

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestLockIsInherited checks that a child with the lock's files holds the lock
// after its parent is gone. The parent's death is a closed file to the kernel.
func TestLockIsInherited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	lock, err := awaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("cat")
	child.ExtraFiles = lock.Files()
	input, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lock.file.Close()
	wantHeld(t, path)

	input.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	second, err := awaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	wantHeld(t, path)
	second.Release()
}

func wantHeld(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*lockRetry)
	defer cancel()
	if l, err := awaitLock(ctx, path); l != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("have %v, %v; want a lock that is held elsewhere", l, err)
	}
}

// TestLockWaits checks that a waiter gets the lock when its holder releases it.
func TestLockWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := awaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*lockRetry, first.Release)
	second, err := awaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
	var none *repoLock
	none.Release() // promised to be harmless
}
