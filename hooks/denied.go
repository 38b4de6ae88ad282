package hooks

import (
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// retryFor is the limit for asking whether a call may be tried again, including the
// snapshot before it. The hook asks only shortly after the person allowed a retry.
const retryFor = 5 * time.Second

// permissionDenied registers a call that auto mode refused, so that the person
// can let it be tried once more. It does not wait for the answer, because the
// host blocks the whole session while this hook runs. It registers calls in auto
// mode only.
func permissionDenied(h *hook) error {
	if h.str(claude.FieldMode) != claude.ModeAuto {
		return nil
	}
	in := wire.AskOpenRequest{
		HookCall: h.hookCall(),
		Ask:      newID(),
		Kind:     "denied",
		Why:      h.str(claude.FieldReason),
		Park:     true,
	}
	_, err := callStarting(h, wire.OpAskOpen, in, parkFor)
	return err
}

// tryAgain allows a call that auto mode refused and that the person then allowed
// once. It compares the exact call. It asks the coordinator only if the
// coordinator's mark for pending retries exists, so it usually costs one look at
// the disk in auto mode, and nothing in other modes.
func (h *hook) tryAgain() error {
	if h.str(claude.FieldMode) != claude.ModeAuto {
		return nil
	}
	if _, err := os.Lstat(h.client.Dirs.Retries()); err != nil {
		return nil
	}
	r, _ := call(h, wire.OpRetry, wire.RetryRequest{HookCall: h.hookCall()}, retryFor)
	if !r.Allow {
		return nil // auto mode judges the call as usual
	}
	return h.print(h.decide(hookoutput.Allow, "the person allowed this call once"))
}
