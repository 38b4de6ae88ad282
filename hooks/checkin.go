package hooks

import (
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// hold keeps the session from stopping until its check-in is answered, a text from outside ends it,
// the person types at the terminal, or the time is over. If the answer comes later, the hook
// in the background wakes the session.
func (h *hook) hold(id string, d time.Duration) error {
	q := &question{hook: h, id: id, deadline: time.Now().Add(d)}
	stop := q.onEnd()
	defer stop()
	r := wire.AskState{}
	for time.Until(q.deadline) > 0 && !h.off() {
		r = q.next(r, lookFor)
		switch r.State {
		case "open", "":
		default:
			_, err := h.blockWithTexts(id)
			return err
		}
	}
	r, err := callStarting(h, wire.OpCheckInOver, wire.CheckInOverRequest{Ask: id}, replyFor)
	if r.State == "answered" {
		_, err = h.blockWithTexts(id)
	}
	return err
}
