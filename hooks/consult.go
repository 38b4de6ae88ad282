package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// consultsFor is longer than that of other notes: this call takes minutes, and a
// note that is lost costs the reviewer another one.
const consultsFor = time.Second

// consults tells the coordinator that a reviewer's call is about to consult: the
// program that it runs cannot say for whom. Without a coordinator there is
// nothing to tell; the program starts one.
func (h *hook) consults() {
	if !h.off() {
		_, _ = h.call(wire.OpConsults, wire.ConsultsRequest{HookCall: h.hookCall()}, consultsFor)
	}
}
