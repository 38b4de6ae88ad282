package hooks

import (
	"errors"
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// postToolBatch runs between two steps of a turn. If the person stopped the turn, it
// ends it. Otherwise it hands the person's waiting texts to the session, but not to
// a subagent, because the person writes to the session. It waits only briefly: texts
// that it misses come with the next batch, or at Stop. It also says what refused a call
// behind a wall. It prints nothing else, because any other output of this hook may end the turn.
func postToolBatch(h *hook) error {
	if reason := h.halted(wire.TurnOver); reason != "" {
		return h.print(hookoutput.EndTurn("Afar: " + reason))
	}
	if h.str(claude.FieldAgent) != "" || h.off() {
		return nil
	}
	id, refused := newID(), h.wasRefused()
	h.input = h.outline()
	in := wire.BatchRequest{HookCall: h.hookCall(), Delivery: id, Refused: refused}
	r, err := call(h, wire.OpBatch, in, noteFor)
	if err != nil || r.Texts == 0 {
		return errors.Join(err, h.printContext(r.Context))
	}
	return h.contextWithTexts(id, r.Context)
}

// wasRefused reports whether the result of a call says that the kernel refused it something.
func (h *hook) wasRefused() bool {
	return slices.ContainsFunc(h.get(claude.FieldToolCalls).Items(), func(c hostjson.Value) bool {
		return text.SaysRefused(c.Get(claude.FieldToolResult).Raw())
	})
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
