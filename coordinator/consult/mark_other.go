//go:build !linux

package consult

const canMark = false

// Elsewhere a process cannot be marked for good; the coordinator then looks at
// what the asking process descends from.
func markProcess(int)     {}
func markedProcess() bool { return false }
