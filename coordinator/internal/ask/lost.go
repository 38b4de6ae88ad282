package ask

import (
	"fmt"
	"time"
)

// Undelivered records that the hook of a ended before its session received the answer. The
// answer is kept for one repetition of exactly the same call, for a limited time.
func Undelivered(a Ask, now time.Time) (Ask, error) {
	if !a.Unconfirmed() || a.Decision == nil || a.Kind == CheckIn {
		return a.refuseStep("miss the delivery of")
	}
	return a.leased(now), nil
}

// leased returns a with its undelivered answer kept as a lease.
func (a Ask) leased(now time.Time) Ask {
	a.Lease = &Lease{Decision: *a.Decision, Until: a.Decision.At.Add(a.leaseFor()), Lost: true}
	a.State, a.SettledAt, a.Note, a.Decision, a.Unproven = Withdrawn, now, "not delivered", nil, false
	return a
}

// Arrived reports whether the answer of a is known to have reached its session.
func (a Ask) Arrived() bool { return a.State == Delivered && !a.Unproven }

// Claimed is like Claim, for a hook that reports when it has printed the answer. A hook
// that was wrongly taken for dead and claims again still gets the answer.
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

// Printed records that the hook has printed the answer. The report may arrive after the
// hook was taken for dead.
func Printed(a Ask) (Ask, error) {
	printed, err := Claim(a.regained()) // the coordinator may have died before it kept the claim
	if err != nil {
		return a.refuseStep("print the answer of")
	}
	printed.Unproven = false
	return printed, nil
}

// regained returns a as delivered if its answer was wrongly recorded as not delivered.
func (a Ask) regained() Ask {
	if a.lost() {
		decision := a.Lease.Decision
		a.State, a.Decision, a.Note, a.Lease = Delivered, &decision, "", nil
	}
	return a
}

// lost reports whether the answer of a was not delivered and has not been used since.
func (a Ask) lost() bool { return a.Lease.Unused() && a.Lease.Lost }

// AnswerValid reports whether the answer of a is valid at now for another ask about the same
// call. That holds for a yes that came after the refusal and for any answer that was not
// delivered.
func (a Ask) AnswerValid(now time.Time) bool {
	return a.Lease.usable() && now.Before(a.Lease.Until)
}

// Reapply applies the undelivered answer of a to b, which asks for exactly the same call. It
// returns b with the form of a, and the decision.
func (a Ask) Reapply(b Ask, now time.Time) (Ask, Decision) {
	d := a.Lease.Decision
	d.At, d.Scope = now, Once
	b.Form = a.Form
	return b, d
}

// Overruled records that the person settled the call of a at the terminal. The undelivered
// answer of a is no longer valid.
func Overruled(a Ask) (Ask, error) {
	if !a.lost() || !a.Dialog() {
		return a.refuseStep("overrule")
	}
	a.Lease, a.Note = nil, a.AtTerminal()
	return a, nil
}

// RanAfterAll records that a call ran although its answer was recorded as undelivered. If
// the host has a dialog, the person answered there. If not, a yes did arrive. A no did not
// arrive; it stays valid for the next ask about the call.
func RanAfterAll(a Ask, r Run) (_ Ask, err error) {
	if !a.lost() || a.Run != nil {
		return a.refuseStep("note a late run of")
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

// lostEnding says what became of an undelivered answer.
func (l Lease) lostEnding() string {
	said := fmt.Sprintf("%s by %s at %s", l.Decision.word(), l.Decision.By, l.Decision.At.Format("15:04:05"))
	switch {
	case !l.UsedAt.IsZero():
		return said + ", delivered at " + l.UsedAt.Format("15:04:05") + " when the call was asked for again"
	case l.Missed:
		return "not delivered: " + said + ", and the call was not asked for again in time"
	}
	return "not delivered: " + said + ", but the session's hook ended first. " +
		"It counts if the call is asked for again before " + l.Until.Format("15:04")
}
