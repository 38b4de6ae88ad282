//go:build unix

package hooks

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A group is the process group that a check runs in: this hook's own where the
// hook leads one, as under the host, so that whoever ends the hook ends the
// check; else one of its own.
type group struct{ shared bool }

func newGroup(cmd *exec.Cmd) group {
	g := group{shared: syscall.Getpgrp() == os.Getpid()}
	if !g.shared {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	return g
}

// end tells the check and all that it started to end, and kills what is left
// after a while. told takes the signal that this hook gets with them.
func (g group) end(cmd *exec.Cmd, told <-chan os.Signal, done <-chan struct{}) {
	go func() {
		for range told { // our own signal, to ourselves too
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

// id is the group as kill wants it.
func (g group) id(cmd *exec.Cmd) int {
	if g.shared {
		return 0
	}
	return -cmd.Process.Pid
}
