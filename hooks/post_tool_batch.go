package hooks

import "github.com/afar-sh/afar/coordinator/wire"

// postToolBatch ends the turn that the person stopped: its calls are over, and the
// model has not been asked again.
func postToolBatch(h *hook) error {
	if reason := h.halted(wire.TurnOver); reason != "" {
		return h.print(wire.NewObject().Bool("continue", false).Str("stopReason", "Afar: "+reason))
	}
	return nil
}
