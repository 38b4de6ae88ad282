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

// outcome reports to the coordinator whether a call succeeded. The report ends the
// ask about the call and counts as progress of a loop. outcome ignores SIGTERM: at
// the end of a print session the host ends running hooks, and the report must not
// get lost.
func (h *hook) outcome(ok bool) error {
	signal.Ignore(syscall.SIGTERM)
	kept := ledger.Of(h.client.Dirs.Calls(), h.str(claude.FieldSession), h.str(claude.FieldToolUse))
	in := wire.OutcomeRequest{HookCall: h.hookCall(), OK: ok, Kept: string(kept)}
	_, err := callStarting(h, wire.OpOutcome, in, outcomeFor)
	return err
}
