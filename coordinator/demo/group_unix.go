//go:build unix

package demo

import (
	"os/exec"
	"syscall"
	"time"
)

// endFor is how long the programs of a session may take to end.
const endFor = 5 * time.Second

// separate gives a command that is not yet started a process group of its own, so that a
// person's Ctrl-C reaches the demo alone.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// tellToEnd tells the process group of a command to end.
func tellToEnd(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may have ended

// end tells the process group of a command to end, kills what is left of it, and waits.
func end(cmd *exec.Cmd) {
	if cmd.Process == nil {
		return
	}
	tellToEnd(cmd)
	kill := time.AfterFunc(endFor, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	_ = cmd.Wait()
}
