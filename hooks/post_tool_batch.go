package hooks

import "github.com/afar-sh/afar/coordinator/wire"

// postToolBatch stands between two steps of every turn: it ends the turn that the person
// stopped, whose calls are over, and hands what they wrote to a session that works on. It
// asks briefly; what it misses comes with the next batch, or at Stop. It prints nothing
// else: whatever this hook says of a turn may end it. A subagent is not whom the person
// writes to.
func postToolBatch(h *hook) error {
	if reason := h.halted(wire.TurnOver); reason != "" {
		return h.print(wire.NewObject().Bool("continue", false).Str("stopReason", "Afar: "+reason))
	}
	if h.str("agent_id") != "" || h.off() {
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
	for _, name := range []string{"hook_event_name", "session_id", "prompt_id", "transcript_path", "cwd", "permission_mode"} {
		o.OptStr(name, h.str(name))
	}
	return o.Bytes()
}
