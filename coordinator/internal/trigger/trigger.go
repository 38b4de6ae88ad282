package trigger

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
)

// Name names a trigger and its file.
type Name string

// A Trigger is what Afar keeps of a rule beside its file: which text of it a person has
// approved, and how far its clock is.
type Trigger struct {
	approved.File        // of Text
	Name          Name   `json:"name"`
	Text          string `json:"text"` // of the file, as a person approved it; "" before that
	Removed       bool   `json:"removed,omitempty"`

	OnAt time.Time `json:"on_at"` // since when it is on; the instants of every are counted from here
	// Until is the time up to which all instants have been dealt with. Next is the first one
	// after it, zero for none.
	Until time.Time `json:"until"`
	Next  time.Time `json:"next,omitzero"`

	// Minute is when the newest minute began in which the trigger fired, and InMinute how
	// often it has fired since.
	Minute   time.Time `json:"minute,omitzero"`
	InMinute int       `json:"in_minute,omitempty"`
	Fired    int       `json:"fired,omitempty"` // in all
	Last     time.Time `json:"last,omitzero"`   // when it last fired
	LastErr  string    `json:"last_err,omitempty"`

	// Own says that a session made the trigger for itself. It is removed when it is over.
	Own  bool   `json:"own,omitempty"`
	Over bool   `json:"over,omitempty"`
	Risk string `json:"risk,omitempty"` // of the check, as the person saw it
	Runs string `json:"runs,omitempty"` // digest of the files that the check ran then
	For  string `json:"for,omitempty"`  // id of the session that made it, if its check was asked about
	// Fails counts how often in a row the check has failed.
	Fails int `json:"fails,omitempty"`
}

// Errors of the steps.
var (
	ErrOff   = errors.New("the trigger is off")
	ErrLimit = errors.New("the trigger has reached its limit")
)

// Known reports whether a person has approved t, and it is not removed.
func (t Trigger) Known() bool { return t.Name != "" && !t.Removed }

// SwitchOn returns t with a text that a person approves, on from now.
func (t Trigger) SwitchOn(text, by string, r Rule, taken Taken, now time.Time) Trigger {
	t.File, t.Text, t.Removed = t.Approve(Hash(text), by, now), text, false
	t.OnAt, t.Until, t.LastErr, t.Fails = now.Truncate(time.Second), now, "", 0
	return t.schedule(r, taken)
}

// SwitchOff returns t switched off.
func (t Trigger) SwitchOff() Trigger {
	t.File, t.Next = t.Off(), time.Time{}
	return t
}

// Look returns t after a look at its file, see approved.File.Hold. The instants that pass while it
// is held are not dealt with later.
func (t Trigger) Look(why string, r Rule, taken Taken, now time.Time) Trigger {
	t.File, t.Next = t.Hold(why, now), time.Time{}
	if !t.Live() {
		return t
	}
	t.Until = now
	return t.schedule(r, taken)
}

// A Taken reports whether an instant was dealt with already.
type Taken func(key string) bool

// schedule returns t with the next instant that is not taken.
func (t Trigger) schedule(r Rule, taken Taken) Trigger {
	t.Next = time.Time{}
	after := t.Until
	for range mostTaken {
		i, ok := r.When.Next(after, t.OnAt)
		if !ok {
			return t
		}
		if !taken(i.Key) {
			t.Next = i.At
			return t
		}
		after = i.At
	}
	t.Next = after // the next look goes on from there
	return t
}

// Bounds of one look at a trigger. After a long sleep most of its instants are counted alone.
const (
	mostTaken  = 5000
	mostListed = 100
	mostWalked = 5000
)

// A Step is what follows from the instants of a trigger that have passed.
type Step struct {
	Fire   []Instant // in time, or in place of what was missed
	Missed []Instant // these do not fire, at most mostListed
	Older  int       // how many more were missed before those, at least
}

// Told returns the newest instant that does not fire and that the person is told of: where the
// rule says so, and where it fires rarely.
func (s Step) Told(r Rule) (newest Instant, ok bool) {
	if len(s.Missed) == 0 || len(s.Fire) > 0 {
		return newest, false
	}
	return s.Missed[len(s.Missed)-1], r.Missed == Ask || r.When.oncePerDay()
}

// Advance returns t with all instants up to now dealt with, and what follows. The clock may
// have been set back: what was dealt with before is not due again.
func (t Trigger) Advance(r Rule, taken Taken, now time.Time) (Trigger, Step) {
	var s Step
	if now.Before(t.Until) {
		t.Until = now
		return t.schedule(r, taken), s
	}
	due, older := between(r.When, t.OnAt, t.Until, now)
	due = slices.DeleteFunc(due, func(i Instant) bool { return taken(i.Key) })
	s.Older = older
	t.Until = now
	t = t.schedule(r, taken)
	if len(due) == 0 {
		return t, s
	}
	before, newest := due[:len(due)-1], due[len(due)-1]
	late := now.Sub(newest.At) > r.Grace
	switch {
	case r.Missed == Each:
		s.Fire = due
		return t, s
	case !late, r.Missed == RunOnce:
		s.Fire = []Instant{newest}
	default:
		before = due
	}
	s.Missed = before
	return t, s
}

// between returns the newest instants after from, up to now, and how many came before them.
func between(w When, anchor, from, now time.Time) (list []Instant, older int) {
	list, done := walk(w, anchor, from, now)
	if !done {
		older = len(list)
		list = recent(w, anchor, now)
	}
	if over := len(list) - mostListed; over > 0 {
		list, older = list[over:], older+over
	}
	return list, older
}

// recent returns the newest instants up to now, of a rule that has more than mostWalked.
func recent(w When, anchor, now time.Time) (list []Instant) {
	for back := time.Minute; len(list) < mostListed; back *= 2 {
		list, _ = walk(w, anchor, now.Add(-back), now)
	}
	return list
}

// walk returns the instants after from, up to now. done is false if there are more than
// mostWalked; then these are the first ones.
func walk(w When, anchor, from, now time.Time) (list []Instant, done bool) {
	for range mostWalked {
		i, ok := w.Next(from, anchor)
		if !ok || i.At.After(now) {
			return list, true
		}
		list, from = append(list, i), i.At
	}
	return list, false
}

// Admit returns t after one more firing at now. It returns ErrOff for a trigger that does not
// fire, and ErrLimit with the time to wait for one that fires too often. With anyway, a person
// fires it, also when it is off.
func (t Trigger) Admit(limit int, anyway bool, now time.Time) (_ Trigger, wait time.Duration, err error) {
	switch {
	case t.Held != "":
		return t, 0, fmt.Errorf("%w: %s", ErrOff, t.Held)
	case !t.On && !anyway:
		return t, 0, ErrOff
	}
	if past := now.Sub(t.Minute); past < 0 || past >= time.Minute {
		t.Minute, t.InMinute = now, 0
	}
	if t.InMinute >= limit {
		return t, time.Minute - now.Sub(t.Minute), fmt.Errorf("%w of %d firings per minute", ErrLimit, limit)
	}
	t.InMinute, t.Fired, t.Last = t.InMinute+1, t.Fired+1, now
	return t, 0, nil
}
