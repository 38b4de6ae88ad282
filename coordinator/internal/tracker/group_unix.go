//go:build unix

package tracker

import (
	"os/exec"
	"syscall"
)

// alone gives a tool a process group of its own, so that what it started ends
// with it when its time is over.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
