package ask

import "time"

// Denied is a call that the host's auto mode refused by itself: nothing is
// asked, and the person may let the session try the exact call once more.
const Denied Kind = "denied"

// RetryFor is how long the person's *Retry once* counts.
const RetryFor = 5 * time.Minute

// leaseFor is how long a yes that came after the refusal counts.
func (a Ask) leaseFor() time.Duration {
	if a.Kind == Denied {
		return RetryFor
	}
	return LeaseFor
}

// refusedNote says why a parked call was refused.
func (a Ask) refusedNote() string {
	if a.Kind == Denied {
		return "refused by Claude Code's auto mode"
	}
	return "not run: claude -p cannot wait in this mode"
}

// Retries reports whether a lets a call run that auto mode refused: its lease,
// at now.
func (a Ask) Retries(now time.Time) bool { return a.Kind == Denied && a.Lent(now) }
