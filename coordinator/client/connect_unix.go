//go:build unix

package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// A socket is a connection whose reader and writer wait in the kernel. It uses
// neither package net nor the runtime's poller. A hook starts on every tool call,
// and setting those up would cost it a tenth of its time.
type socket struct {
	fd       int
	deadline time.Time
}

func connect(path string) (*socket, error) {
	fd, err := open()
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := connectTo(fd, path); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	return &socket{fd: fd}, nil
}

// open makes a socket that no child process inherits.
func open() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

// connectTo connects without waiting. A local listener takes the connection at
// once, or its queue is full and connectTo fails.
func connectTo(fd int, path string) error {
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	for {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return errors.Join(err, syscall.SetNonblock(fd, false))
	}
}

// SetDeadline bounds all later reads and writes.
func (s *socket) SetDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

func (s *socket) Close() error { return syscall.Close(s.fd) }

func (s *socket) Read(p []byte) (int, error) {
	n, err := s.within(syscall.SO_RCVTIMEO, func() (int, error) { return syscall.Read(s.fd, p) })
	if n == 0 && err == nil && len(p) > 0 {
		return 0, io.EOF
	}
	return n, err
}

func (s *socket) Write(p []byte) (written int, err error) {
	for written < len(p) && err == nil {
		var n int
		n, err = s.within(syscall.SO_SNDTIMEO, func() (int, error) { return syscall.Write(s.fd, p[written:]) })
		written += n
	}
	return written, err
}

// within makes one system call that waits no longer than until the deadline.
// option is the socket option that bounds the wait.
func (s *socket) within(option int, call func() (int, error)) (int, error) {
	for {
		left := time.Until(s.deadline)
		if left <= 0 {
			return 0, os.ErrDeadlineExceeded
		}
		wait := syscall.NsecToTimeval(max(left, time.Microsecond).Nanoseconds()) // a wait of zero would have no bound
		if err := syscall.SetsockoptTimeval(s.fd, syscall.SOL_SOCKET, option, &wait); err != nil {
			return 0, err
		}
		n, err := call()
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		return max(n, 0), err
	}
}
