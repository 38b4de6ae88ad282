package hooks

import (
	"os"
	"os/exec"
)

// A group is the check's process alone: Windows has no process groups.
type group struct{}

func newGroup(*exec.Cmd) group { return group{} }

func (group) end(cmd *exec.Cmd, _ <-chan os.Signal, done <-chan struct{}) {
	_ = cmd.Process.Kill()
	<-done
}
