package consult

import (
	"os"
	"syscall"
	"unsafe"
)

// limitOfLocks is RLIMIT_LOCKS. Linux has not enforced it since 2.4, a child inherits it
// through fork, exec and setsid, and only root can raise a hard limit again. The mark of
// a session's shells is the same limit with a value one higher.
const limitOfLocks = 10

// consulted is just below home.Birthmark, so that a consulted model also counts as a
// process of a session and may decide nothing.
const consulted = 7357356

type rlimit struct{ soft, hard uint64 }

// canMark reports whether this system can mark a process permanently.
const canMark = true

// markProcess marks a process and everything that it will start. It ignores an error,
// because a process that has ended needs no mark.
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
