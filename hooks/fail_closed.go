package hooks

import (
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
)

// onFailureBlock is the argument of a hook whose entry in hooks.json also holds
// "onFailure": "block". The client loads both together, so a hook that has the
// argument knows that its session has the key, even if the file changed since.
const onFailureBlock = "--on-failure=block"

// versionFor is the limit for asking the client for its version.
const versionFor = 3 * time.Second

// deathStops reports whether the host stops the call when this hook dies. In
// default mode every client does, if it has a dialog. Otherwise only a client that obeys
// the key onFailure does. A person who typed a command sees what becomes of it.
func (h *hook) deathStops() bool {
	if h.event.dialogless {
		return h.event.closed || h.typed()
	}
	return h.str(claude.FieldMode) == claude.ModeDefault || h.event.closed && claude.Stops(clientVersion())
}

// skillsJudged is an argument of a hook in a file of hooks that stands beside the one with the
// hook of PreSkillShellCommand. The client loads both together.
const skillsJudged = "--skills-judged"

// putsSkills reports whether the client puts the commands in the text of skills and commands
// to the guard when it runs them. It returns false if the version of the client is unknown.
func (h *hook) putsSkills() bool {
	return h.event.skillsJudged && claude.AtLeast(clientVersion(), claude.PutsSkills)
}

// typed reports whether a person at the terminal typed the command whose skill or file the
// guard judges.
func (h *hook) typed() bool {
	return h.getenv.Attended() && (h.event.name == promptExpansion || h.str(claude.FieldInvokedBy) == "user")
}

// clientVersion returns the version of the client that started this hook, ""
// if it is unknown. A project's settings can set every variable of a hook, so
// clientVersion runs the client's program, in an environment of its own, to ask it.
func clientVersion() string {
	program := executable(os.Getppid())
	if program == "" {
		return ""
	}
	return claude.Version(program, []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, versionFor)
}
