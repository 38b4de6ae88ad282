package ask

import "time"

// Denied is the kind of ask for a call that the host's auto mode refused. Nothing is
// asked; the person may let the session try the exact call once more.
const Denied Kind = "denied"

// RetryFor is how long *Retry once* stays valid.
const RetryFor = 5 * time.Minute

// leaseFor returns how long a yes that came after the refusal stays valid.
func (a Ask) leaseFor() time.Duration {
	switch {
	case a.Kind == Denied:
		return RetryFor
	case a.Deferred:
		return keepsFor
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

// Retries reports whether a has a lease that lets a call run at now that auto mode had
// refused.
func (a Ask) Retries(now time.Time) bool { return a.Kind == Denied && a.Leased(now) }
