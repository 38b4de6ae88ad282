package session

import (
	"fmt"
	"time"
)

// A Mode says when asks leave the terminal.
type Mode string

// The away modes.
const (
	Off  Mode = "off"  // never
	On   Mode = "on"   // at once
	Auto Mode = "auto" // after Grace without a local answer
)

// Grace is how long an ask waits for a local answer in Auto, when nobody says
// otherwise.
const Grace = 20 * time.Second

// Away is a mode with an end. The zero value says nothing.
type Away struct {
	Mode  Mode      `json:"mode,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// ParseMode reads a mode as a person types it.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Off, On, Auto:
		return m, nil
	}
	return "", fmt.Errorf("away mode is on, off or auto, not %q", s)
}

// At returns the mode at now, or "" when a has ended or says nothing.
func (a Away) At(now time.Time) Mode {
	if !a.Until.IsZero() && !now.Before(a.Until) {
		return ""
	}
	return a.Mode
}

// Effective returns the mode that holds for a session: its own, else the
// global one, else Auto.
func Effective(own, global Away, now time.Time) Mode {
	for _, a := range []Away{own, global} {
		if m := a.At(now); m != "" {
			return m
		}
	}
	return Auto
}

// CardAt returns when an ask opened at now leaves the terminal, with that grace
// in Auto; the zero time is never. Where no local dialog is open (nobody attends the session, or a
// subagent asks), there is no local answer to wait for.
func CardAt(mode Mode, dialog bool, grace time.Duration, now time.Time) time.Time {
	switch {
	case mode == Off:
		return time.Time{}
	case mode == Auto && dialog:
		return now.Add(grace)
	}
	return now
}
