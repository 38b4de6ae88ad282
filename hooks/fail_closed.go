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

// versionFor bounds the question to the client for its version.
const versionFor = 3 * time.Second

// deathStops reports whether the host stops the call when this hook dies. In
// default mode the host itself refuses then; in the others a client does it that
// obeys the key onFailure.
func (h *hook) deathStops() bool {
	return h.str(claude.FieldMode) == claude.ModeDefault || h.event.closed && claude.Stops(clientVersion())
}

// clientVersion returns the version of the client that started this hook, ""
// where it cannot be known. A project's settings can set every variable of a
// hook, so the running program itself is asked, in an environment of its own.
func clientVersion() string {
	program := executable(os.Getppid())
	if program == "" {
		return ""
	}
	return claude.Version(program, []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}, versionFor)
}
