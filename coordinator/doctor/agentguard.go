package doctor

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/agentguard"
	"github.com/afar-sh/afar/coordinator/wire"
)

// agentGuards checks the guard's hook in the settings of each other agent that has one.
func (x Exam) agentGuards() (all []wire.Check) {
	for _, a := range agentguard.Agents {
		installed, wrong := a.State(a.File(x.Dirs.User, x.Getenv), x.Bin)
		fix := "afar guard install --for " + a.Name
		switch {
		case !installed:
		case wrong != "":
			if a.Next != "" {
				fix += ", then " + a.Next
			}
			all = append(all, bad("guard."+a.Name, fmt.Sprintf("%s is not guarded: %s", a.Name, wrong), fix))
		case a.OpenWhen != "":
			all = append(all, ok("guard."+a.Name, "judges the calls of %s; open on failure: a call runs unjudged when %s",
				a.Name, a.OpenWhen))
		default:
			all = append(all, ok("guard."+a.Name, "judges the calls of %s; a hook that fails stops the call", a.Name))
		}
	}
	return all
}
