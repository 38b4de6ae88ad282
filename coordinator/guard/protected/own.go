package protected

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// PolicyFile is the name of the policy file of a person and of a project. The
// guard protects a file of this name in every directory.
const PolicyFile = "guard.toml"

// HookEvents lists the names of Afar's hook binaries, without "hook-".
const HookEvents = "session-start session-end pre-tool-use post-tool-use post-tool-use-failure " +
	"permission-request permission-denied stop stop-failure " +
	"elicitation subagent-start subagent-stop pre-compact user-prompt-submit user-prompt-expansion notification " +
	"config-change stop-rewake"

// LinkedProgram reports whether p is a link to the program that install makes.
func LinkedProgram(p string) bool {
	return strings.HasSuffix(p, "/.local/bin/afar") || p == "/usr/local/bin/afar"
}

// GuardedName reports whether a path belongs to Afar by its name alone: a policy
// file, the switch, the link to the program, its service, or a file of Afar that
// a search finds by name.
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

// undoRefs is the namespace of Afar's snapshots in a repository.
const undoRefs = "refs/afar"

// HoldsUndo reports whether a ref, or a pattern for refs, names Afar's snapshots.
func HoldsUndo(ref string) bool {
	return fspath.Within(ref, undoRefs) || strings.HasPrefix(ref, undoRefs+"*")
}
