package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// A Taker is a person at a terminal who has the conversation of a run, or waits for it.
type Taker struct {
	By      string          `json:"by"`
	Process session.Process `json:"process"` // the command at the terminal
}

// Known reports whether there is one.
func (t Taker) Known() bool { return t.By != "" }

// ErrUnbegun says that the agent does not know the conversation yet, so that nobody can
// continue it in a terminal.
var ErrUnbegun = errors.New("the conversation has not begun")

// Take gives the conversation of r to a person. If a turn runs, the person gets it when the
// turn is over; with interrupt, the turn is told to end. While the person has it, no turn
// starts, and no turn that was started before counts. A second call by the same process
// changes nothing.
func Take(r Run, by Taker, interrupt bool, now time.Time) (Run, error) {
	switch {
	case r.Busy():
		r.Taker = by
		if interrupt && r.Turn.Stop == "" {
			r.Turn.Stop = by.By
		}
		return r, nil
	case r.State == Taken && r.Taker.Process == by.Process:
		return r, nil
	case !r.begun():
		return r, fmt.Errorf("take run %s: %w", r.Name, ErrUnbegun)
	}
	r.Taker = by
	return r.toTaker(now), nil
}

// toTaker gives r to the person who waits for it. What the agent kept for its next turn ends
// with that: the person decides in the terminal.
func (r Run) toTaker(now time.Time) Run {
	r.Fence++
	r.Parked, r.Ask, r.Turn.Deferred = false, "", ""
	r.QueuedAt, r.NotUntil, r.Resume, r.Why, r.OpenIn = time.Time{}, time.Time{}, false, "", session.Process{}
	return r.to(Taken, now)
}

// Forgo notes that the person who waits for the end of a turn waits no longer.
func Forgo(r Run) (Run, error) {
	if !r.Busy() {
		return r.unfit("leave the taker of")
	}
	r.Taker = Taker{}
	return r, nil
}

// Give hands r back: its next turn goes on with the conversation.
func Give(r Run, now time.Time) (Run, error) {
	if r.State != Taken {
		return r.unfit("give back")
	}
	r.Taker = Taker{}
	return r.to(Idle, now), nil
}

// Adopt returns a run of a conversation that the agent knows already.
func Adopt(r Run, now time.Time) Run {
	r.Adopted = true
	return Rest(r, now)
}

// begun reports whether the agent knows the conversation of r.
func (r Run) begun() bool { return r.Adopted || r.Turns > 0 }

// openAgain is how long a turn whose conversation is open elsewhere waits before it looks
// again. It does not wait that long if the process is seen to end.
const openAgain = 5 * time.Minute

// Unblock notes that the process in which the conversation was open has let go of it, so that
// the turn can start.
func Unblock(r Run) (Run, error) {
	if r.State != Queued {
		return r.unfit("go on with")
	}
	r.OpenIn, r.NotUntil, r.Why = session.Process{}, time.Time{}, ""
	return r, nil
}
