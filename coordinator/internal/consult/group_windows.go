package consult

import "os/exec"

// own and end do nothing: there are no process groups here.
func own(*exec.Cmd) {}
func end(*exec.Cmd) {}
