//go:build unix

package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Hang stops a process: its sockets still accept connections, but it does not answer. On
// a busy machine a process goes on for a while after the signal, so Hang waits until it
// has stopped, for a limited time. SIGCONT continues the process.
func Hang(pid int, within time.Duration) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("hang %d: %w", pid, err)
	}
	for deadline := time.Now().Add(within); !isStopped(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("hang %d: it goes on", pid)
		}
	}
	return nil
}

// isStopped reports whether each thread of a process is stopped. It returns true on
// systems without /proc.
func isStopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range threads {
		raw, _ := os.ReadFile(name)
		if _, state, _ := strings.Cut(string(raw), ") "); !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}
