package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// parkFor is the limit for registering a call that is refused at once. It is short
// because the host lets the call run if it ends this hook.
const parkFor = 3 * time.Second

// What a refusal says about the person's answer.
const (
	isParked = " Nobody can be waited for in this mode, so the step is parked: " +
		"the person has been asked; you will be told the answer. " +
		"Write down what you need and why, and go on with what does not depend on it."
	nobodyToAsk = " Nobody can be asked in this mode: park the step and say what you need."
)

// park refuses a risky call in a mode in which the hook cannot wait for an answer.
// It registers the call, so that the person can allow its next attempt. It allows
// a call that the person has allowed.
func (h *hook) park(d Judgement) error {
	q := &question{hook: h, id: newID(), deadline: time.Now().Add(parkFor)}
	in := wire.AskOpenRequest{HookCall: h.hookCall(), Ask: q.id, Kind: "guard", Why: d.Person, Part: d.Part, Park: true}
	r, _ := callStarting(h, wire.OpAskOpen, in, parkFor)
	switch r.State {
	case "expired":
		if r.Defer {
			return h.print(hookoutput.Deferral())
		}
		return h.print(h.denial(d.refused() + isParked))
	case "answered", "delivered":
		if a := q.claim(); a.decision == allowed {
			return h.printAnswer(a)
		}
	}
	return h.print(h.denial(d.refused() + nobodyToAsk)) // or Afar is paused
}
