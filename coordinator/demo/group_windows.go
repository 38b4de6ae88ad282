package demo

import "os/exec"

// separate does nothing here: there are no process groups.
func separate(*exec.Cmd) {}

// tellToEnd kills a command.
func tellToEnd(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// end kills a command.
func end(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}
}
