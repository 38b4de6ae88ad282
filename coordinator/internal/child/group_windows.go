package child

import (
	"os/exec"
	"time"
)

// A group does nothing on Windows: at its time limit, only the program itself is killed.
type group struct{}

func separate(*exec.Cmd) group { return group{} }

func (group) tie() (untie func(), err error) { return func() {}, nil }
func (group) wasTold() bool                  { return false }
func (group) end(time.Duration)              {}
