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
	case c.Input.Tool == "Bash":
		return c.bashNeed()
	case slices.Contains(fileTools, c.Input.Tool):
		return c.fileNeed()
	case strings.HasPrefix(c.Input.Tool, "mcp__") && c.Decision.Verdict == guard.None:
		return grant.Need{Tool: c.Input.Tool, Named: true}
	}
	return grant.Need{}
}

func (c Call) bashNeed() grant.Need {
	if !c.Input.Plain {
		return grant.Need{}
	}
	commands, ok := guard.Commands(c.call, c.at, c.Decision)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: c.Input.Tool, Commands: commands}
}

func (c Call) fileNeed() grant.Need {
	path, ok := guard.Inside(c.call, c.at, c.Decision)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: c.Input.Tool, Path: path, Root: c.at.Resolve(c.at.Project)}
}
