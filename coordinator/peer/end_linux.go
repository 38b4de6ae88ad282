package peer

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// AwaitEnd waits until the process ends that has the id and began at born, or until ctx ends. told is
// false if the system does not tell the end of a process; AwaitEnd returns at once then.
func AwaitEnd(ctx context.Context, pid int, born string) (told bool) {
	if pid <= 0 {
		return true // no process has such an id
	}
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	if !Lives(pid, born) { // another process has the id
		return true
	}
	if f.SetReadDeadline(time.Time{}) != nil {
		return false // it cannot be waited for
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Read(func(fd uintptr) bool { return Hold{int(fd)}.Over() }) // its error is the end of ctx
	return true
}
