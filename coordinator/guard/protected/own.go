package protected

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// PolicyFile is the name of the policy file of a person and of a project. The
// guard protects a file of this name wherever it lies.
const PolicyFile = "guard.toml"

// HookEvents name our hook binaries after "hook-".
const HookEvents = "session-start session-end pre-tool-use post-tool-use post-tool-use-failure " +
	"permission-request permission-denied stop stop-failure " +
	"elicitation subagent-start subagent-stop pre-compact user-prompt-submit user-prompt-expansion notification " +
	"config-change stop-rewake"

func LinkedProgram(p string) bool {
	return strings.HasSuffix(p, "/.local/bin/afar") || p == "/usr/local/bin/afar"
}

// GuardedName is true of names that are ours wherever they lie: the link to the
// program, its service, and what a search finds by name.
func GuardedName(p string) bool {
	base := fspath.Base(p)
	switch {
	case base == SwitchOff, strings.EqualFold(base, PolicyFile), LinkedProgram(p):
		return true
	case strings.Contains(base, "afar"):
		return lex.Mentions(p, "/LaunchAgents/ /systemd/") ||
			partial.HasHole(p) && lex.OneOf(base, "afar.db afar.sock afar")
	}
	event, ok := strings.CutPrefix(base, "hook-")
	return ok && partial.HasHole(p) && lex.OneOf(event, HookEvents)
}

// undoRefs is where Afar holds its snapshots in a repository.
const undoRefs = "refs/afar"

func HoldsUndo(ref string) bool {
	return fspath.Within(ref, undoRefs) || strings.HasPrefix(ref, undoRefs+"*")
}
