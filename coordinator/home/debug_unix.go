//go:build unix

package home

import "syscall"

// noFollow opens no link, and waits for no reader of a pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
