package wall

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// ABI returns the level of Landlock that this kernel has, 0 for none.
func ABI() int {
	abi, err := kernel.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return abi
}

// levels are what a wall restricts at each level. The network is never restricted.
var levels = map[int]landlock.Config{3: landlock.V3, 4: landlock.V4, 5: landlock.V5, 6: landlock.V6, 7: landlock.V7}

// self is the running program, also after its file was replaced. It may start itself behind a wall, to take a
// birthmark.
const self = "/proc/self/exe"

// up puts up the wall around this thread, at a level of Landlock.
func (w Wall) up(abi int) error {
	if why := missing(abi); why != "" {
		return errors.New(why)
	}
	level := levels[min(abi, mostABI)]
	set := landlock.Config{HandledAccessFS: level.HandledAccessFS, Scoped: level.Scoped}
	rules := []landlock.Rule{landlock.ROFiles(self)}
	for _, a := range w.allowances() {
		rules = append(rules, a.rule())
	}
	fd, flags, err := set.NewRulesetFD(rules...)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := keepPrivileges(); err != nil {
		return err
	}
	if err := kernel.LandlockRestrictSelf(fd, flags); err != nil {
		return fmt.Errorf("restrict: %w", err)
	}
	return filter()
}

// keepPrivileges forbids new rights to this thread, which an ordinary user must do before a wall and a filter.
func keepPrivileges() error {
	const noNewPrivs = 38
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return fmt.Errorf("forbid new rights: %w", e)
	}
	return nil
}

// onOwnThread calls do on a thread that ends with it. The first thread of a process cannot end, so it is held
// meanwhile and another one is taken.
func onOwnThread(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if syscall.Gettid() == os.Getpid() {
			defer runtime.UnlockOSThread()
			done <- onOwnThread(do)
			return
		}
		done <- do() // the thread stays locked
	}()
	return <-done
}

// rule returns the kernel's rule for an allowance. What is not there needs none.
func (a allowance) rule() landlock.Rule {
	var r landlock.FSRule
	switch {
	case a.writes && a.isDir:
		r = landlock.RWDirs(a.path).WithRefer()
	case a.writes:
		r = landlock.RWFiles(a.path)
	case a.isDir:
		r = landlock.RODirs(a.path)
	default:
		r = landlock.ROFiles(a.path)
	}
	if a.control {
		r = r.WithIoctlDev()
	}
	return r.IgnoreIfMissing()
}
