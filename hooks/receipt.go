package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// receiptFor bounds the receipt to a coordinator that took another one's place, its start
// included.
const receiptFor = openFor

// A receipt is owed for what this hook took: a person's text, or their answer. Whoever
// gave it counts it as handed over only when the receipt comes.
type receipt struct {
	kept    *client.Kept
	told    wire.PrintedRequest // is sent if the connection is broken
	printed bool
	certain bool // the hook ends only when the receipt is kept
}

// takeOwing makes a call for which a receipt is owed once its reply is printed.
func (h *hook) takeOwing(req wire.Request, told wire.PrintedRequest, within time.Duration) (reply, error) {
	line, kept, err := h.client.CallStartingKeeping(req, time.Now().Add(within))
	if err != nil {
		return reply{}, err
	}
	h.owed = &receipt{kept: kept, told: told}
	return parseReply(line)
}

// due says that what the receipt is for was printed.
func (r *receipt) due() {
	if r != nil {
		r.printed = true
	}
}

// nothingOwed says that the reply was nothing to be handed over.
func (h *hook) nothingOwed() {
	h.owed.kept.Release()
	h.owed = nil
}

// finish is the last thing that a hook does: it gives the receipt. Of a hook that is
// killed before, the host heeds nothing that it printed.
func (h *hook) finish(code int) {
	if h.unhear != nil {
		defer h.unhear()
	}
	if h.owed == nil || !h.owed.printed || code != 0 {
		return
	}
	if h.owed.give() != nil {
		_, _ = h.callStarting(wire.OpPrinted, h.owed.told, receiptFor) // without it, all is offered again
	}
}

// give hands the receipt over. For an answer it waits until the receipt is kept: a
// coordinator that dies with the receipt would say "not delivered" of an answer that
// counts, and offer it to another call. For a text it does not wait: a lost receipt only
// has the text offered again, marked so, and a hook that is killed while it waits loses
// the text.
func (r *receipt) give() error {
	defer r.kept.Release()
	if err := r.kept.Receipt(); err != nil || !r.certain {
		return err
	}
	return r.kept.Noted()
}
