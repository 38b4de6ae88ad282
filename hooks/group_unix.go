//go:build unix

package hooks

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A group is the process group that a check runs in. If this hook leads a group, as
// it does under the host, the check runs in that group: ending the hook's group
// also ends the check. Otherwise the check gets its own group.
type group struct{ shared bool }

func newGroup(cmd *exec.Cmd) group {
	g := group{shared: syscall.Getpgrp() == os.Getpid()}
	if !g.shared {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	return g
}

// end sends SIGTERM to the check and everything that it started, and kills what is
// left after graceFor. In a shared group this hook gets the signal too; end drains
// it from told.
func (g group) end(cmd *exec.Cmd, told <-chan os.Signal, done <-chan struct{}) {
	go func() {
		for range told { // drop the signal that this hook sent to itself
		}
	}()
	_ = syscall.Kill(g.id(cmd), syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(graceFor):
	}
	if !g.shared {
		_ = syscall.Kill(g.id(cmd), syscall.SIGKILL)
		return
	}
	for _, pid := range members(os.Getpid()) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// id returns the group in the form that kill takes.
func (g group) id(cmd *exec.Cmd) int {
	if g.shared {
		return 0
	}
	return -cmd.Process.Pid
}
