package hooks

import (
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// retryFor bounds the question whether a call may be tried again, the snapshot
// before it included. It is asked only while the person has just allowed one.
const retryFor = 5 * time.Second

// permissionDenied registers a call that auto mode refused, so that the person
// can let it be tried once more. It waits for nobody: the host holds the whole
// session for as long as this hook runs. In plan mode nothing is to be retried.
func permissionDenied(h *hook) error {
	if h.off() || h.str(claude.FieldMode) != claude.ModeAuto {
		return nil
	}
	in := wire.AskOpenRequest{
		HookCall: h.hookCall(), Ask: newID(), Kind: "denied", Why: h.str(claude.FieldReason), Park: true,
	}
	_, err := h.callStarting(wire.OpAskOpen, in, parkFor)
	return err
}

// tryAgain lets the exact call run that auto mode refused and the person then
// allowed once. Without the coordinator's mark, which is there for minutes in
// a day, it costs one look at the disk in auto mode, and nothing elsewhere.
func (h *hook) tryAgain() error {
	if h.str(claude.FieldMode) != claude.ModeAuto {
		return nil
	}
	if _, err := os.Lstat(h.client.Dirs.Retries()); err != nil {
		return nil
	}
	r, err := h.call(wire.OpRetry, wire.RetryRequest{HookCall: h.hookCall()}, retryFor)
	if err != nil || !r.yes("allow") {
		return nil // auto mode judges the call as ever
	}
	return h.print(hookoutput.PreToolUse(hookoutput.Allow, "the person allowed this call once"))
}
