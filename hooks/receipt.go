package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// receiptFor is the limit for giving the receipt to another coordinator than the one
// that gave the answer, including that coordinator's start.
const receiptFor = openFor

// A receipt confirms that this hook handed over a text or an answer of the person.
// The coordinator counts it as handed over only when it gets the receipt.
type receipt struct {
	kept    *client.Kept
	told    wire.PrintedRequest // sent instead if the connection is broken
	printed bool
	certain bool // the hook waits until the coordinator has stored the receipt
}

// takeOwing makes a call and starts a coordinator if none is running. The hook owes
// a receipt once it has printed the reply.
func takeOwing[Request, Reply any](
	h *hook, op wire.Op[Request, Reply], in Request, told wire.PrintedRequest, within time.Duration,
) (out Reply, err error) {
	line, kept, err := h.client.CallStartingKeeping(request(op, in), time.Now().Add(within))
	if err != nil {
		return out, err
	}
	h.owed = &receipt{kept: kept, told: told}
	err = readReply(line, &out)
	return out, err
}

// markPrinted notes that the hook has printed what the receipt is for.
func (r *receipt) markPrinted() {
	if r != nil {
		r.printed = true
	}
}

// dropReceipt drops the receipt, because the reply held nothing to hand over.
func (h *hook) dropReceipt() {
	h.owed.kept.Release()
	h.owed = nil
}

// finish gives the receipt, as the last act of a hook. If a hook is killed before
// that, the host ignores what it printed.
func (h *hook) finish(code int) {
	if h.unhear != nil {
		defer h.unhear()
	}
	if h.owed == nil || !h.owed.printed || code != 0 {
		return
	}
	if h.owed.give() != nil {
		// If this call fails, the coordinator offers everything again.
		_, _ = callStarting(h, wire.OpPrinted, h.owed.told, receiptFor)
	}
}

// give sends the receipt to the coordinator. For an answer it waits until the
// coordinator has stored the receipt. Otherwise a coordinator that died would call an
// answer that counts "not delivered", and offer it to another call. For a text it
// does not wait: after a lost receipt the text is only offered again, with a
// warning, but a hook that is killed while it waits loses the text.
func (r *receipt) give() error {
	defer r.kept.Release()
	if err := r.kept.Receipt(); err != nil || !r.certain {
		return err
	}
	return r.kept.Noted()
}
