package consult

import (
	"os"
	"syscall"
	"unsafe"
)

// limitOfLocks is RLIMIT_LOCKS. Linux has not enforced it since 2.4, a child
// inherits it through fork, exec and setsid, and nobody but root raises a hard
// limit again: what a session's shells are told by, one lower.
const limitOfLocks = 10

// consulted is just below home.Birthmark, so that a consulted model counts as a
// process of a session, too: it may decide nothing.
const consulted = 7357356

type rlimit struct{ soft, hard uint64 }

// canMark reports whether this system marks a process for good.
const canMark = true

// markProcess marks a process and all that it will start. A process that is gone
// needs no mark.
func markProcess(pid int) {
	l := rlimit{consulted, consulted}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), limitOfLocks, uintptr(unsafe.Pointer(&l)), 0, 0,
		0)
}

func markedProcess() bool {
	var l rlimit
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(os.Getpid()), limitOfLocks, 0,
		uintptr(unsafe.Pointer(&l)), 0, 0)
	return e == 0 && l.hard == consulted
}
