package birthmark

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Supported reports whether this system has marks.
const Supported = true

// limitOfLocks is RLIMIT_LOCKS.
const limitOfLocks = 10

type rlimit struct{ soft, hard uint64 }

// prlimit reads the limit of a process into old and sets it to set. Either may be nil.
func prlimit(pid int, set, old *rlimit) error {
	if pid == os.Getpid() {
		pid = 0 // behind a wall, a process can change its own limits alone, and only by this name
	}
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), limitOfLocks, uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), 0, 0)
	if e != 0 {
		return fmt.Errorf("limit of process %d: %w", pid, e)
	}
	return nil
}

// Of returns the level of a process of this user. A limit above all levels is no mark. A
// limit that is no level counts as the next higher level.
func Of(pid int) (Level, error) {
	var l rlimit
	if err := prlimit(pid, nil, &l); err != nil {
		return None, err
	}
	return At(l.hard), nil
}

// Lower gives a process of this user and all that it will start a level. A process that has
// this level or a lower one keeps what it has.
func Lower(pid int, level Level) error {
	now, err := Of(pid)
	if err != nil || now <= level {
		return err
	}
	return prlimit(pid, &rlimit{uint64(level), uint64(level)}, nil)
}

// become takes a level and becomes a program. It does not return.
func become(level, path string, args []string) {
	n, err := strconv.ParseUint(level, 10, 64)
	if err == nil {
		err = Lower(os.Getpid(), Level(n))
	}
	if err == nil {
		err = syscall.Exec(path, args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "afar: start %s: %v\n", path, err)
	os.Exit(cannotStart(err))
}

// cannotStart returns the exit code of a program that does not start, as shells have it.
func cannotStart(err error) int {
	if err == syscall.ENOENT {
		return 127
	}
	return 126
}
