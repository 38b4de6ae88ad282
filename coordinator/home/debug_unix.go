//go:build unix

package home

import "syscall"

// noFollow makes open fail on a link, and not wait for the reader of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
