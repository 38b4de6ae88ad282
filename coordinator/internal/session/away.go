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

// Default removes the mode of one session: that of all sessions counts again.
const Default Mode = "default"

// Grace is the default time that an ask waits for a local answer in Auto.
const Grace = 20 * time.Second

// Away is a mode with an end time. The zero value sets no mode.
type Away struct {
	Mode  Mode      `json:"mode,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// ParseMode returns the mode that a person typed.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case Off, On, Auto, Default:
		return m, nil
	}
	return "", fmt.Errorf("unknown away mode %q; want on, off or auto", s)
}

// At returns the mode at now, or "" if a has ended or sets none.
func (a Away) At(now time.Time) Mode {
	if due(a.Until, now) {
		return ""
	}
	return a.Mode
}

// Effective returns the mode of a session: its own, else the global one, else Auto.
func Effective(own, global Away, now time.Time) Mode {
	for _, a := range []Away{own, global} {
		if m := a.At(now); m != "" {
			return m
		}
	}
	return Auto
}

// CardAt returns when an ask opened at now leaves the terminal, the zero time for
// never. In Auto it waits for the grace time, unless no local dialog is open: because
// nobody attends the session, or because a subagent asks.
func CardAt(mode Mode, dialog bool, grace time.Duration, now time.Time) time.Time {
	switch {
	case mode == Off:
		return time.Time{}
	case mode == Auto && dialog:
		return now.Add(grace)
	}
	return now
}
