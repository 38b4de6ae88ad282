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

// Hang stops a process where it is: what it listens on still takes calls, and
// nobody answers them. On a busy machine it goes on for a while after the signal,
// so Hang waits at most so long until it stands. SIGCONT has it go on.
func Hang(pid int, within time.Duration) error {
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("hang %d: %w", pid, err)
	}
	for deadline := time.Now().Add(within); !stands(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("hang %d: it goes on", pid)
		}
	}
	return nil
}

// stands reports whether each thread of a process was stopped, where the system
// says so.
func stands(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range threads {
		raw, _ := os.ReadFile(name)
		if _, state, _ := strings.Cut(string(raw), ") "); !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}
