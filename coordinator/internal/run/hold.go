package run

import (
	"errors"
	"fmt"
	"time"
)

// errKept says that the turn ends with another call already.
var errKept = errors.New("another call of this turn waits for the person")

// Defer notes that the turn of r ends with a call that its agent keeps for the next turn. A
// turn keeps one call.
func Defer(r Run, call string) (Run, error) {
	switch {
	case !r.Busy():
		return r.unfit("defer a call of")
	case r.KeepsOther(call):
		return r, fmt.Errorf("call %s of run %s: %w", call, r.Name, errKept)
	}
	r.Turn.Deferred = call
	return r, nil
}

// KeepsOther reports whether the turn of r ends with another call than this one.
func (r Run) KeepsOther(call string) bool {
	return r.Busy() && r.Turn.Deferred != "" && r.Turn.Deferred != call
}

// Park lets a run whose turn is over wait for the answer to a question, without a process.
func Park(r Run, ask string, now time.Time) (Run, error) {
	if r.State != Idle && r.State != Queued {
		return r.unfit("park")
	}
	r.Parked, r.Ask = true, ask
	r.QueuedAt, r.NotUntil = time.Time{}, time.Time{}
	return r.to(Waiting, now), nil
}

// Answer gives a parked run its next turn, because its question was answered.
func Answer(r Run, now time.Time) (Run, error) {
	if !r.Parked {
		return r.unfit("answer the question of")
	}
	r.Parked, r.Ask, r.QueuedAt = false, "", now
	return r.to(Queued, now), nil
}

// GiveUp ends the wait of a parked run whose question nobody answered.
func GiveUp(r Run, now time.Time) (Run, error) {
	if !r.Parked {
		return r.unfit("give up the question of")
	}
	r.Parked, r.Ask, r.Why = false, "", "nobody answered its question"
	return r.to(Idle, now), nil
}

// Answered begins the prompt of a turn that follows the answer to a question.
const Answered = "Afar: the person has answered what you waited for. Go on with your task."
