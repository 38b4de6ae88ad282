package ask

import "time"

// keepsFor is how long the answer to a deferred call stays valid. The next turn of its run
// may have to wait for its start.
const keepsFor = ParkedFor

// processEnded is the note of an ask whose run lost its process before the answer.
const processEnded = "the process of the run ended before the answer"

// keepInRun returns the ask of a run whose waiting process has ended. An open ask is parked, and
// an answer that did not arrive stays valid. ok is false if a is not kept.
func (a Ask) keepInRun(now time.Time) (_ Ask, ok bool) {
	switch {
	case !a.InRun, a.Kind == Elicitation:
		return a, false
	case a.State == Open:
		return a.park(processEnded, now), true
	case a.Unconfirmed() && a.Decision != nil:
		return a.leased(now), true
	}
	return a, false
}

// park returns the open ask a as refused, and answerable still.
func (a Ask) park(note string, now time.Time) Ask {
	a.State, a.SettledAt, a.Note, a.Parked = Expired, now, note, true
	return show(a, now)
}

// Defer records that the host keeps the call of a, which nobody answered in time. The host
// makes the call again in the next turn of the run.
func Defer(a Ask) (Ask, error) {
	late, kept := a.Parked || a.Lease.Unused(), a.Call != "" && a.Agent == "" && a.Kind == Guard
	if !a.InRun || !late || !kept {
		return a.refuseStep("defer the call of")
	}
	return a.deferred(true), nil
}

// Undefer records that the host does not keep the call of a any more. The session is then
// told the answer, as for each call that was refused.
func Undefer(a Ask) (Ask, error) {
	if !a.Deferred {
		return a.refuseStep("take back the deferral of")
	}
	return a.deferred(false), nil
}

func (a Ask) deferred(yes bool) Ask {
	a.Deferred = yes
	if a.Lease.Unused() && a.Lease.Awaited != yes {
		l := *a.Lease
		l.Awaited = yes
		a.Lease = &l
	}
	return a
}

// Drop ends an ask of a run that is over. Its answer would have no effect.
func Drop(a Ask, note string, now time.Time) (Ask, error) {
	switch {
	case a.Parked:
		return unpark(a, note), nil
	case a.State == Open:
		return a.withdrawn(note, now), nil
	}
	return a.refuseStep("drop")
}

// Holds reports whether the run of a waits for its answer without a process.
func (a Ask) Holds() bool { return a.InRun && a.Parked && a.Kind != Denied }

// Kept reports whether the answer of l counts as it is for the next attempt of its call,
// because the call itself takes it or missed it.
func (l *Lease) Kept() bool { return l.Lost || l.Awaited }

// Fits reports whether the answer to a deferred call counts for b. It counts for the call
// itself only, as far as the host says which call it is.
func (a Ask) Fits(b Ask) bool {
	return a.Kind == b.Kind && (b.Call == "" || a.Call == b.Call)
}
