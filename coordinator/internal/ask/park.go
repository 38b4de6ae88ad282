package ask

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// How long what is left of a refused call lives.
const (
	ParkedFor = 24 * time.Hour // a parked ask stays answerable
	LeaseFor  = time.Hour      // then a yes that came after the refusal is forgotten
)

// ErrScope says that an answer covers more than the ask offers.
var ErrScope = errors.New("it cannot be allowed in that way")

// A Scope is how far an allow reaches. The empty one is the exact call, once.
type Scope string

// The scopes of an allow.
const (
	Once    Scope = ""
	Session Scope = "session" // the ask's offer, for its session and a time
	Always  Scope = "always"  // what the host suggested, as far as the offer says it
)

// An Offer is what an allow of an ask may cover besides its call. The host's
// suggestions stay with the hook; the offer names the ones that *Always* covers.
type Offer struct {
	Rules  []grant.Rule `json:"rules,omitempty"`
	Always string       `json:"always,omitempty"` // what *Always* covers, in words: all of it
	Echo   []int        `json:"echo,omitempty"`   // the host's suggestions that these words tell, by their places
	// Beyond says that *Always* covers more than calls like this one: a permission
	// mode, or a directory. Its button says so itself.
	Beyond bool `json:"beyond,omitempty"`
}

// ForSession is what *Allow for session* would permit, "" where it is not offered.
func (a Ask) ForSession() string {
	if a.Offer == nil {
		return ""
	}
	return grant.Text(a.Offer.Rules)
}

// ForAlways is what *Always* would permit, "" where it is not offered. Behind
// a refusal no hook is left that could hand it to the host.
func (a Ask) ForAlways() string {
	if a.Offer == nil || a.Parked {
		return ""
	}
	return a.Offer.Always
}

// Beyond reports whether *Always* covers more than calls like this one.
func (a Ask) Beyond() bool { return a.Offer != nil && a.Offer.Beyond }

// Echo names the host's suggestions that the answer covers, by their places.
func (a Ask) Echo() []int {
	if a.Decision == nil || !a.Decision.Allow || a.Decision.Scope != Always || a.Offer == nil {
		return nil
	}
	return a.Offer.Echo
}

// given says what an allow covers besides its call, as the end of a sentence; ""
// for nothing.
func (a Ask) given() string {
	switch a.Decision.Scope {
	case Session:
		return "; for the session: " + a.ForSession()
	case Always:
		return "; always: " + a.ForAlways()
	}
	return ""
}

// offers reports an answer that reaches farther than a lets it.
func (a Ask) offers(d Decision) error {
	if a.State != Open && !a.Parked {
		return nil // settled: that is what there is to say
	}
	switch {
	case !d.Allow, d.Scope == Once,
		d.Scope == Session && a.ForSession() != "", d.Scope == Always && a.ForAlways() != "":
		return nil
	case d.Scope == Session:
		return fmt.Errorf("%w: nothing of this call can be allowed for the session; a plain yes or no is open", ErrScope)
	}
	return fmt.Errorf("%w: Claude Code suggested no rule for it; a plain yes or no is open", ErrScope)
}

// A Lease is the answer to a parked ask. A yes lets the exact call run once,
// if its session makes it again in time.
type Lease struct {
	Decision Decision  `json:"decision"`
	Until    time.Time `json:"until"`
	UsedAt   time.Time `json:"used_at,omitzero"`
	Told     bool      `json:"told,omitempty"`    // the session knows of it
	ToldIn   string    `json:"told_in,omitempty"` // the delivery that told it
	Missed   bool      `json:"missed,omitempty"`  // its time ran out unused
	Lost     bool      `json:"lost,omitempty"`    // it came in time, and its hook ended before it was delivered
}

// Park opens a and refuses it at once: where the host would let a call run
// whose hook died, nobody waits. The card leaves the terminal when CardAt has come.
func Park(a Ask, mode session.Mode, now time.Time) Ask {
	a.Parked = true
	a = Start(a, mode, now)
	a.State, a.SettledAt, a.ExpiresAt = Expired, now, now
	a.Note = a.refusedNote()
	return show(a, now)
}

func lend(a Ask, d Decision) Ask {
	a.Parked = false
	a.Lease = &Lease{Decision: d, Until: d.At.Add(a.leaseFor())}
	return a
}

func unpark(a Ask, note string) Ask {
	a.Parked = false
	a.Note += "; " + note
	return a
}

// Lent reports whether a holds a lease for another call at now.
func (a Ask) Lent(now time.Time) bool {
	return a.Lease != nil && a.Lease.Decision.Allow && a.Lease.UsedAt.IsZero() && now.Before(a.Lease.Until)
}

// Use takes the lease of a: it counts once, in time.
func Use(a Ask, now time.Time) (Ask, error) {
	if !a.Stands(now) {
		return a.unfit("use the lease of")
	}
	used := *a.Lease
	used.UsedAt, used.Told = now, true
	a.Lease = &used
	return a, nil
}

// miss notes that the lease of a ran out unused.
func miss(a Ask) Ask {
	missed := *a.Lease
	missed.Missed = true
	a.Lease = &missed
	return a
}

// lapses returns when the lease of a runs out unused; the zero time is never.
func (a Ask) lapses() (at time.Time) {
	if l := a.Lease; l != nil && (l.Decision.Allow || l.Lost) && l.UsedAt.IsZero() && !l.Missed {
		return l.Until
	}
	return at
}

// Tell notes that the session knows the late answer by the delivery that is named. The
// same delivery may tell it again.
func Tell(a Ask, delivery string) (Ask, error) {
	if !a.TellIn(delivery) {
		return a.unfit("tell the late answer of")
	}
	if !a.Lease.Told {
		told := *a.Lease
		told.Told, told.ToldIn = true, delivery
		a.Lease = &told
	}
	return a, nil
}

// Untell takes back what a delivery told that never arrived.
func Untell(a Ask, delivery string) (Ask, error) {
	l := a.Lease
	if l == nil || !l.Told || l.ToldIn != delivery || !l.UsedAt.IsZero() {
		return a.unfit("take back the late answer of")
	}
	untold := *l
	untold.Told, untold.ToldIn = false, ""
	a.Lease = &untold
	return a, nil
}

// TellIn reports whether a delivery has the late answer of a to tell: nobody
// told it, or the delivery did and lost our reply.
func (a Ask) TellIn(delivery string) bool {
	return a.Lease != nil && (!a.Lease.Told || a.Lease.ToldIn == delivery && delivery != "")
}

// Hopes returns until when a session that nobody attends may wait for the
// answer to its parked call; the zero time is not at all.
func (a Ask) Hopes() time.Time {
	if !a.Parked {
		return time.Time{}
	}
	return a.OpenedAt.Add(a.Times.unattended())
}

// Same reports whether b asks for the very call of a.
func (a Ask) Same(b Ask) bool {
	return a.Session == b.Session && a.Tool == b.Tool && a.Hash == b.Hash
}

func (l Lease) how() string {
	if l.Lost {
		return l.howLost()
	}
	at := fmt.Sprintf("by %s at %s", l.Decision.By, l.Decision.At.Format("15:04:05"))
	switch {
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
