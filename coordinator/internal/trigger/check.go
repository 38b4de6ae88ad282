package trigger

import (
	"fmt"
	"time"
)

// MostFails is how often in a row the check of a rule may fail.
const MostFails = 3

// Looked returns t after its check has not passed for f. failed says why the check could not tell,
// "" for a plain not yet. over says why the check is run no more, "" while it is.
func (t Trigger) Looked(r Rule, f Firing, failed string) (next Trigger, over string) {
	t.Fails++
	if failed == "" {
		t.Fails = 0
	}
	switch {
	case t.Fails >= MostFails:
		over = fmt.Sprintf("its check failed %d times in a row, the last time because %s", t.Fails, failed)
	case !r.Until.IsZero() && !f.At.Before(r.Until):
		over = "its check had not passed by " + r.Until.Format("2006-01-02 15:04 MST")
	}
	return t, over
}

// Finish returns t after it has fired, or after its check is run no more. A rule with a check is
// off then. What a session made for itself is over when it is not due again.
func (t Trigger) Finish(r Rule) Trigger {
	if r.Check != "" {
		t = t.SwitchOff()
	}
	t.Over = t.Own && t.Next.IsZero()
	return t
}

// The longest and the shortest time for which the person is asked about a missed instant.
const (
	leastAsked = time.Hour
	mostAsked  = 24 * time.Hour
)

// AskedUntil returns until when the person may let a missed instant of t fire after all: until t
// is due again, within bounds.
func (t Trigger) AskedUntil(now time.Time) time.Time {
	if t.Next.IsZero() {
		return now.Add(mostAsked)
	}
	return now.Add(min(max(t.Next.Sub(now), leastAsked), mostAsked))
}
