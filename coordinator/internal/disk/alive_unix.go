//go:build unix

package disk

import (
	"errors"
	"syscall"
)

// alive reports whether a process exists, whoever owns it.
func alive(pid int) bool {
	if pid <= 0 {
		return false // those are groups of processes
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
