package ask

import (
	"fmt"
	"time"
)

// Undelivered says that the hook of a ended before its session received the answer. The
// answer counts for the very same call once more, if that comes in time.
func Undelivered(a Ask, now time.Time) (Ask, error) {
	waits := a.State == Answered || a.State == Delivered && a.Unproven
	if !waits || a.Decision == nil || a.Kind == CheckIn {
		return a.unfit("miss the delivery of")
	}
	return a.leased(now), nil
}

// leased is a with its undelivered answer kept for another try.
func (a Ask) leased(now time.Time) Ask {
	a.Lease = &Lease{Decision: *a.Decision, Until: a.Decision.At.Add(a.leaseFor()), Lost: true}
	a.State, a.SettledAt, a.Note, a.Decision, a.Unproven = Withdrawn, now, "not delivered", nil, false
	return a
}

// Arrived reports whether the answer of a is known to have reached its session.
func (a Ask) Arrived() bool { return a.State == Delivered && !a.Unproven }

// Claimed is Claim for a hook that says when it has printed the answer. A hook that was
// taken for dead, and claims again, gets the answer after all.
func Claimed(a Ask) (Ask, error) {
	claimed, err := Claim(a.regained())
	if err != nil {
		return a, err
	}
	if a.State != Delivered {
		claimed.Unproven = true
	}
	return claimed, nil
}

// Printed says that the hook has printed the answer. That may come to be known only after
// the hook was taken for dead.
func Printed(a Ask) (Ask, error) {
	printed := a.regained()
	if printed.State != Delivered {
		return a.unfit("print the answer of")
	}
	printed.Unproven = false
	return printed, nil
}

// regained is a without the mistake that its answer was not delivered.
func (a Ask) regained() Ask {
	if a.lost() {
		decision := a.Lease.Decision
		a.State, a.Decision, a.Note, a.Lease = Delivered, &decision, "", nil
	}
	return a
}

// lost reports whether the answer of a was not delivered, and not used since.
func (a Ask) lost() bool { return a.Lease != nil && a.Lease.Lost && a.Lease.UsedAt.IsZero() }

// Stands reports whether the answer of a counts at now for another ask of its call: a
// yes that came after the refusal, or whatever was not delivered.
func (a Ask) Stands(now time.Time) bool {
	return a.Lent(now) || a.lost() && now.Before(a.Lease.Until)
}

// Again returns what the undelivered answer of a says to b, which asks for the very same.
func (a Ask) Again(b Ask, now time.Time) (Ask, Decision) {
	d := a.Lease.Decision
	d.At, d.Scope = now, Once
	b.Form = a.Form
	return b, d
}

// Overruled says that the person settled at the terminal what a's undelivered answer was
// about: it counts no longer.
func Overruled(a Ask) (Ask, error) {
	if !a.lost() || !a.Dialog() {
		return a.unfit("overrule")
	}
	a.Lease, a.Note = nil, "answered at the terminal"
	return a, nil
}

// RanAfterAll says that a call ran whose answer was taken for undelivered. Where the host
// has a dialog, its person has answered there; else a yes had arrived. A no had not, and
// still counts when the call is asked for again.
func RanAfterAll(a Ask, r Run) (_ Ask, err error) {
	if !a.lost() || a.Run != nil {
		return a.unfit("note a late run of")
	}
	next := a
	switch {
	case a.Dialog():
		next, err = Overruled(a)
	case a.Lease.Decision.Allow:
		next, err = Printed(a)
	}
	if err != nil {
		return a, err
	}
	next.Run = &r
	return next, nil
}

// howLost is how the undelivered answer of an ask stands.
func (l Lease) howLost() string {
	verb := "denied"
	if l.Decision.Allow {
		verb = "allowed"
	}
	said := fmt.Sprintf("%s by %s at %s", verb, l.Decision.By, l.Decision.At.Format("15:04:05"))
	switch {
	case !l.UsedAt.IsZero():
		return said + ", delivered at " + l.UsedAt.Format("15:04:05") + " when the call was asked for again"
	case l.Missed:
		return "not delivered: " + said + ", and the call was not asked for again in time"
	}
	until := l.Until.Format("15:04")
	return "not delivered: " + said + ", but the session's hook ended first. It counts if the call is asked for again before " + until
}
