//go:build unix

package disk

import (
	"errors"
	"syscall"
)

// alive reports whether a process exists, whoever owns it.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return pid > 0 && (err == nil || errors.Is(err, syscall.EPERM))
}
