//go:build unix

package client

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// connect opens a connection to the socket at path. It does without package
// net: a hook starts on every tool call, and a resolver and its tables would be
// a tenth of what has to be loaded.
func connect(path string) (*os.File, error) {
	fd, err := socket()
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := connectTo(fd, path); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// socket makes a socket that no child inherits and that does not block, so
// that deadlines hold.
func socket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, err
	}
	syscall.CloseOnExec(fd)
	return fd, syscall.SetNonblock(fd, true)
}

// connectTo never waits: a local listener takes the connection at once, or its
// queue is full and the call fails.
func connectTo(fd int, path string) error {
	for {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
