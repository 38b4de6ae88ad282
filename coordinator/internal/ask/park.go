package ask

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The time limits for a call that was refused without an answer.
const (
	ParkedFor = 24 * time.Hour // how long a parked ask accepts an answer
	LeaseFor  = time.Hour      // how long a late yes stays valid
)

// ErrScope is returned for an answer that covers more than the ask offers.
var ErrScope = errors.New("it cannot be allowed in that way")

// refuseScope returns ErrScope with the reason.
func refuseScope(why string) error {
	return fmt.Errorf("%w: %s; a plain yes or no is open", ErrScope, why)
}

// A Scope says how much an allow covers. The empty Scope covers the exact call, once.
type Scope string

// The scopes of an allow.
const (
	Once    Scope = ""
	Session Scope = "session" // the rules of the ask's offer, for its session and a limited time
	Always  Scope = "always"  // the host's suggestions that the offer names
)

// An Offer says what an allow may cover in addition to the call itself. The host's
// suggestions stay with the hook; the offer names those that *Always* covers.
type Offer struct {
	Rules  []grant.Rule `json:"rules,omitempty"`
	Always string       `json:"always,omitempty"` // describes everything that *Always* covers
	Echo   []int        `json:"echo,omitempty"`   // the indices of the host's suggestions that Always describes
	Kept   []grant.Kept `json:"kept,omitempty"`   // the rules of these that the host keeps for good
	// Beyond is true if *Always* covers more than calls like this one: a permission
	// mode, or a directory. The button then says so.
	Beyond bool `json:"beyond,omitempty"`
}

// ForSession says what *Allow for session* would permit. It returns "" if that is not
// offered.
func (a Ask) ForSession() string {
	if a.Offer == nil {
		return ""
	}
	return grant.Text(a.Offer.Rules)
}

// ForAlways says what *Always* would permit. It returns "" if that is not offered. A
// parked ask never offers it: no hook is left that could pass it to the host.
func (a Ask) ForAlways() string {
	if a.Offer == nil || a.Parked {
		return ""
	}
	return a.Offer.Always
}

// Beyond reports whether *Always* covers more than calls like this one.
func (a Ask) Beyond() bool { return a.Offer != nil && a.Offer.Beyond }

// Echo returns the indices of the host's suggestions that the answer covers.
func (a Ask) Echo() []int {
	if a.Decision == nil || !a.Decision.Allow || a.Decision.Scope != Always || a.Offer == nil {
		return nil
	}
	return a.Offer.Echo
}

// scopeText says what an allow covers in addition to its call, as the end of a sentence.
// It returns "" if it covers nothing more.
func (a Ask) scopeText() string {
	switch a.Decision.Scope {
	case Session:
		return "; for the session: " + a.ForSession()
	case Always:
		return "; always: " + a.ForAlways()
	}
	return ""
}

// checkScope returns an error if d covers more than a offers.
func (a Ask) checkScope(d Decision) error {
	if !a.Waiting() || !d.Allow {
		return nil // the caller reports an ask that is settled
	}
	switch d.Scope {
	case Once:
		return nil
	case Session:
		if a.ForSession() != "" {
			return nil
		}
		return refuseScope("nothing of this call can be allowed for the session")
	case Always:
		if a.ForAlways() != "" {
			return nil
		}
	}
	return refuseScope("Claude Code suggested no rule for it")
}

// A Lease keeps an answer for a later repetition of the exact call: the answer to a parked
// ask, or one that was not delivered. A yes lets the call run once, if its session repeats
// it in time.
type Lease struct {
	Decision Decision  `json:"decision"`
	Until    time.Time `json:"until"`
	UsedAt   time.Time `json:"used_at,omitzero"`
	Told     bool      `json:"told,omitempty"`    // the session was told about it
	ToldIn   string    `json:"told_in,omitempty"` // the delivery that told the session
	Missed   bool      `json:"missed,omitempty"`  // it expired unused
	Awaited  bool      `json:"awaited,omitempty"` // the host makes the call again, and then takes the answer
	Lost     bool      `json:"lost,omitempty"`    // the answer came in time, but the hook ended before the delivery
}

// Park opens a and refuses it at once, so that no hook has to wait. It is for modes in
// which the host would let a call run if its hook died. The card is shown at CardAt.
func Park(a Ask, mode session.Mode, now time.Time) Ask {
	a.Parked = true
	a = Start(a, mode, now)
	a.State, a.SettledAt, a.ExpiresAt = Expired, now, now
	a.Note = a.refusedNote()
	return show(a, now)
}

// addLease returns the parked ask a with d as its lease.
func addLease(a Ask, d Decision) Ask {
	a.Parked = false
	a.Lease = &Lease{Decision: d, Until: d.At.Add(a.leaseFor()), Awaited: a.Deferred}
	return a
}

func unpark(a Ask, note string) Ask {
	a.Parked = false
	a.Note += "; " + note
	return a
}

// word says in one word what d decided about a call.
func (d Decision) word() string {
	if d.Allow {
		return "allowed"
	}
	return "denied"
}

// Unused reports whether there is a lease and no call has used it.
func (l *Lease) Unused() bool { return l != nil && l.UsedAt.IsZero() }

// Used reports whether there is a lease and a call has used it.
func (l *Lease) Used() bool { return l != nil && !l.UsedAt.IsZero() }

// usable reports whether l is unused and its answer counts for one more call.
func (l *Lease) usable() bool { return l.Unused() && (l.Decision.Allow || l.Kept()) }

// Leased reports whether a has an unused lease at now that allows one more call.
func (a Ask) Leased(now time.Time) bool {
	return a.Lease.Unused() && a.Lease.Decision.Allow && now.Before(a.Lease.Until)
}

// Use marks the lease of a as used. A lease can be used once, before it expires.
func Use(a Ask, now time.Time) (Ask, error) {
	if !a.AnswerValid(now) {
		return a.refuseStep("use the lease of")
	}
	used := *a.Lease
	used.UsedAt, used.Told = now, true
	a.Lease = &used
	return a, nil
}

// markMissed records that the lease of a expired unused.
func markMissed(a Ask) Ask {
	missed := *a.Lease
	missed.Missed = true
	a.Lease = &missed
	return a
}

// leaseEnd returns when the unused lease of a expires. The zero time means never.
func (a Ask) leaseEnd() (at time.Time) {
	if l := a.Lease; l.usable() && !l.Missed {
		return l.Until
	}
	return at
}

// Tell records that this delivery told the session about the late answer. The same
// delivery may tell it again.
func Tell(a Ask, delivery string) (Ask, error) {
	if !a.TellIn(delivery) {
		return a.refuseStep("tell the late answer of")
	}
	if !a.Lease.Told {
		told := *a.Lease
		told.Told, told.ToldIn = true, delivery
		a.Lease = &told
	}
	return a, nil
}

// Untell reverses Tell for a delivery that never arrived.
func Untell(a Ask, delivery string) (Ask, error) {
	l := a.Lease
	if !l.Unused() || !l.Told || l.ToldIn != delivery {
		return a.refuseStep("take back the late answer of")
	}
	untold := *l
	untold.Told, untold.ToldIn = false, ""
	a.Lease = &untold
	return a, nil
}

// TellIn reports whether a delivery has to tell the session about the late answer of a.
// That is so if no delivery told it yet, or if this one did and its reply was lost.
func (a Ask) TellIn(delivery string) bool {
	switch l := a.Lease; {
	case l == nil, l.Awaited:
		return false
	case !l.Told:
		return true
	default:
		return delivery != "" && delivery == l.ToldIn
	}
}

// WaitsUntil returns until when an unattended session may wait for the answer to its
// parked call. The zero time means that it may not wait.
func (a Ask) WaitsUntil() time.Time {
	if !a.Parked {
		return time.Time{}
	}
	return a.OpenedAt.Add(a.Times.unattended())
}

// A call identifies the exact tool call that an ask is about.
type call struct {
	session    session.ID
	tool, hash string
}

func (a Ask) call() call { return call{a.Session, a.Tool, a.Hash} }

// Same reports whether a and b ask for exactly the same call.
func (a Ask) Same(b Ask) bool { return a.call() == b.call() }

func (l Lease) ending() string {
	if l.Lost {
		return l.lostEnding()
	}
	at := fmt.Sprintf("by %s at %s", l.Decision.By, l.Decision.At.Format("15:04:05"))
	switch {
	case l.Awaited && l.UsedAt.IsZero() && !l.Missed:
		return l.Decision.word() + " " + at + "; the run goes on with it"
	case l.Awaited && !l.Decision.Allow:
		return "denied " + at
	case !l.Decision.Allow:
		return "denied " + at + ", after the call was refused"
	case !l.UsedAt.IsZero():
		return "allowed " + at + ", used at " + l.UsedAt.Format("15:04:05")
	}
	if l.Missed {
		return "allowed " + at + ", not tried again in time"
	}
	return "allowed " + at + ", for one try until " + l.Until.Format("15:04:05")
}
