package client

import "syscall"

// Detached gives a process a session of its own: it outlives its parent and its
// parent's terminal.
func Detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
