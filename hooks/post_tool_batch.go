package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// postToolBatch stands between two steps of every turn: it ends the turn that the person
// stopped, whose calls are over, and hands what they wrote to a session that works on. It
// asks briefly; what it misses comes with the next batch, or at Stop. It prints nothing
// else: whatever this hook says of a turn may end it. A subagent is not whom the person
// writes to.
func postToolBatch(h *hook) error {
	if reason := h.halted(wire.TurnOver); reason != "" {
		return h.print(hookoutput.EndTurn("Afar: " + reason))
	}
	if h.str(claude.FieldAgent) != "" || h.off() {
		return nil
	}
	h.input = h.outline()
	id := newID()
	r, err := h.call(wire.OpBatch, wire.BatchRequest{HookCall: h.hookCall(), Delivery: id}, noteFor)
	if err != nil || r.body.Get("texts").Int() == 0 {
		return err
	}
	return h.contextWithTexts(id, "")
}

// outline is the host's input without what the tools were given and said, which may be
// large and is of no use here.
func (h *hook) outline() []byte {
	o := wire.NewObject()
	for _, name := range []string{
		claude.FieldEvent, claude.FieldSession, claude.FieldPromptID, claude.FieldTranscript, claude.FieldCwd, claude.FieldMode,
	} {
		o.OptStr(name, h.str(name))
	}
	return o.Bytes()
}
