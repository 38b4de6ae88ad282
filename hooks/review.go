package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// subagentStop keeps a reviewer from stopping before its review is complete.
func subagentStop(h *hook) error {
	within := subagentFor
	if wire.ReadsOnly(h.str(claude.FieldAgentType)) {
		within = stopFor // a busy coordinator must not open the gate
	}
	in := wire.SubagentStopRequest{HookCall: h.hookCall()}
	r, err := call(h, wire.OpSubagentStop, in, within)
	switch {
	case err != nil:
		return err
	case r.Block:
		return h.block(r.Reason, r.Notice)
	}
	return h.printNotice(r.Notice)
}

// subagentStart tells a reviewer what the person asked for.
func subagentStart(h *hook) error {
	if !wire.ReadsOnly(h.str(claude.FieldAgentType)) {
		return nil
	}
	in := wire.SubagentStartRequest{HookCall: h.hookCall()}
	r, err := call(h, wire.OpSubagentStart, in, stopFor)
	if err != nil {
		return err
	}
	return h.printContext(r.Context)
}
