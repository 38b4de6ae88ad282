package peer

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A Hold identifies one process, also after the system has given its id to a later one.
type Hold struct{ fd int }

// Take returns a hold of the process that has the id now. It fails with ErrUnknown if
// there is no such process, or if the kernel is older than 5.3.
func Take(pid int) (Hold, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return Hold{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return Hold{fd}, nil
}

// Over reports whether the process has ended. It returns true if the system cannot tell.
func (h Hold) Over() bool {
	ended := []unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ended, 0)
	return n != 0 || err != nil
}

// Release gives the hold back. It must not be used again.
func (h Hold) Release() { _ = unix.Close(h.fd) }
