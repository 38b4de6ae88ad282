package hooks

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// suggested returns those of the client's suggestions that the person saw and
// allowed, each as it came, as a list; nil for none.
func (h *hook) suggested(chosen []hostjson.Value) []byte {
	suggestions := h.get(claude.FieldSuggestions).Items()
	var echo []string
	for _, n := range chosen {
		if i := n.Int(); i >= 0 && i < int64(len(suggestions)) {
			echo = append(echo, suggestions[i].Raw())
		}
	}
	if len(echo) == 0 {
		return nil
	}
	return []byte("[" + strings.Join(echo, ",") + "]")
}

// parkFor bounds the registration of a call that is refused at once: should
// the host end this hook, it would let the call run.
const parkFor = 3 * time.Second

// park refuses a risky call where nobody can be waited for, and registers it,
// so that the person can allow its next try. Such a try is allowed here.
func (h *hook) park(d Judgement) error {
	refusal := d.refused() + " Nobody can be waited for in this mode, so the step is parked: the person has been asked; you will be told the answer. " +
		"Write down what you need and why, and go on with what does not depend on it."
	q := &question{hook: h, id: newID(), deadline: time.Now().Add(parkFor)}
	in := wire.AskOpenRequest{HookCall: h.hookCall(), Ask: q.id, Kind: "guard", Why: d.Person, Park: true}
	r, err := h.callStarting(wire.OpAskOpen, in, parkFor)
	state := r.str("state")
	if state == "answered" || state == "delivered" {
		if a := q.claim(); a.decided && a.allow {
			return h.printAnswer(a)
		}
	}
	if err != nil || state != "expired" { // paused, or nobody there to ask
		refusal = d.refused() + " Nobody can be asked in this mode: park the step and say what you need."
	}
	return h.print(h.denial(refusal))
}
