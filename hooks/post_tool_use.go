package hooks

import (
	"os/signal"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// outcomeFor is generous: the host does not wait for these hooks.
const outcomeFor = 20 * time.Second

func postToolUse(h *hook) error { return h.outcome(true) }

func postToolUseFailure(h *hook) error { return h.outcome(false) }

// outcome reports how a call turned out: the end of the ask that it came from,
// and progress for a loop. At the end of a print session the host ends what
// still runs, and this must not get lost; it is done in a moment.
func (h *hook) outcome(ok bool) error {
	signal.Ignore(syscall.SIGTERM)
	kept := ledger.Read(h.client.Dirs.Calls(), h.str(claude.FieldSession)).Of(h.str(claude.FieldToolUse))
	in := wire.OutcomeRequest{HookCall: h.hookCall(), OK: ok, Kept: string(kept)}
	_, err := h.callStarting(wire.OpOutcome, in, outcomeFor)
	return err
}
