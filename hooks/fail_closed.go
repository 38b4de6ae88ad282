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
// the key onFailure does, as every client with a dialogless event.
func (h *hook) deathStops() bool {
	if h.event.dialogless {
		return h.event.closed
	}
	return h.str(claude.FieldMode) == claude.ModeDefault || h.event.closed && claude.Stops(clientVersion())
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
