package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// postToolBatch runs between two steps of a turn. If the person stopped the turn, it
// ends it. Otherwise it hands the person's waiting texts to the session, but not to
// a subagent, because the person writes to the session. It waits only briefly: texts
// that it misses come with the next batch, or at Stop. It prints nothing else,
// because any other output of this hook may end the turn.
func postToolBatch(h *hook) error {
	if reason := h.halted(wire.TurnOver); reason != "" {
		return h.print(hookoutput.EndTurn("Afar: " + reason))
	}
	if h.str(claude.FieldAgent) != "" || h.off() {
		return nil
	}
	h.input = h.outline()
	id := newID()
	r, err := call(h, wire.OpBatch, wire.BatchRequest{HookCall: h.hookCall(), Delivery: id}, noteFor)
	if err != nil || r.Texts == 0 {
		return err
	}
	return h.contextWithTexts(id, "")
}

// outline returns the host's input without the inputs and results of the tools.
// They may be large, and the coordinator does not need them.
func (h *hook) outline() []byte {
	o := wire.NewObject()
	for _, name := range []string{
		claude.FieldEvent,
		claude.FieldSession,
		claude.FieldPromptID,
		claude.FieldTranscript,
		claude.FieldCwd,
		claude.FieldMode,
	} {
		o.OptStr(name, h.str(name))
	}
	return o.Bytes()
}
