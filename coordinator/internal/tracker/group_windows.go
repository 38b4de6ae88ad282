package tracker

import "os/exec"

// alone leaves a tool as it is: only the tool itself ends when its time is over.
func alone(*exec.Cmd) {}
