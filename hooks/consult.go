package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// consultsFor is longer than the limit of other notes. A consultation takes
// minutes, and if the note is lost, the reviewer must consult again.
const consultsFor = time.Second

// tellConsult tells the coordinator that a reviewer's call is about to consult. The
// program that the call runs cannot say for whom it asks. tellConsult does not
// start a coordinator; that program does.
func (h *hook) tellConsult() {
	if !h.off() {
		_, _ = call(h, wire.OpConsults, wire.ConsultsRequest{HookCall: h.hookCall()}, consultsFor)
	}
}
