//go:build unix

package tracker

import (
	"fmt"
	"os"
	"syscall"
)

// lock keeps other writers out until the returned function is called. It is held
// on the directory itself, so that it leaves no file, and ends with the process.
func lock(root *os.Root) (unlock func(), err error) {
	dir, err := root.Open(issuesDir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		_ = dir.Close()
		return nil, fmt.Errorf("lock %s: %w", issuesDir, err)
	}
	return func() { _ = dir.Close() }, nil
}
