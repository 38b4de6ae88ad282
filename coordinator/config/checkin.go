package config

import (
	"fmt"
	"time"
)

// Hold is how long a session that checks in is held without a file.
const Hold = Duration(time.Minute)

// maxHold keeps a mistyped time from holding a terminal for a day.
const maxHold = Duration(time.Hour)

// CheckIn is the table [checkin].
type CheckIn struct {
	// Hold is how long the Stop hook waits for a reply before the terminal is
	// free again; "0s" holds nothing. A later reply wakes the session.
	Hold Duration `toml:"hold"`
}

func (c CheckIn) check() error {
	if c.Hold < 0 || c.Hold > maxHold {
		return fmt.Errorf("checkin.hold must lie between 0s and %s", time.Duration(maxHold))
	}
	return nil
}

// A Duration is a time as Go writes it: "90s", "2h".
type Duration time.Duration

// Form says how such a time is written.
func (Duration) Form() string { return `a time in quotes, such as "90s" or "2h"` }

// UnmarshalText reads such a time.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("a time such as \"90s\" or \"2h\" is needed, not %q", text)
	}
	*d = Duration(v)
	return nil
}
