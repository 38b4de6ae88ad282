package toolcall

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/grant"
)

// fileTools are the tools that work on one file.
var fileTools = []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "Read"}

// need returns what a grant needs to cover the call, the zero value if no grant can.
func (c Call) need() grant.Need {
	switch {
	case c.Tool == "Bash":
		return c.bashNeed()
	case slices.Contains(fileTools, c.Tool):
		return c.fileNeed()
	case strings.HasPrefix(c.Tool, "mcp__") && c.decision.Verdict == guard.None:
		return grant.Need{Tool: c.Tool, Named: true}
	}
	return grant.Need{}
}

// plainFields are the fields of a Bash call that do not change what it may do.
var plainFields = []string{"command", "description", "timeout", "run_in_background"}

func (c Call) bashNeed() grant.Need {
	for name, v := range c.in {
		if !slices.Contains(plainFields, name) && v != nil && v != false {
			return grant.Need{}
		}
	}
	commands, ok := guard.Commands(c.call, c.at)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: c.Tool, Commands: commands}
}

func (c Call) fileNeed() grant.Need {
	path, ok := guard.Inside(c.call, c.at)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: c.Tool, Path: path, Root: c.at.Resolve(c.at.Project)}
}
