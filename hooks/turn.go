package hooks

import (
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// turnFor bounds the question whether the turn is to end. It is asked only while
// the person has just stopped one.
const turnFor = 2 * time.Second

// halted says why the running turn is to end, "" when it is not. Without the
// coordinator's mark it costs one look at the disk.
func (h *hook) halted(over string) (reason string) {
	if _, err := os.Lstat(h.client.Dirs.Halts()); err != nil {
		return ""
	}
	r, err := h.call(wire.OpTurn, wire.TurnRequest{HookCall: h.hookCall(), Over: over}, turnFor)
	if err != nil || !r.yes("block") {
		return "" // nobody says so: the turn goes on
	}
	return r.str("reason")
}
