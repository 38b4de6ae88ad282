package config

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// hold is the default of checkin.hold.
const hold = Duration(time.Minute)

// maxHold bounds checkin.hold, so that a mistyped time cannot hold a terminal for a day.
const maxHold = Duration(time.Hour)

// CheckIn is the table [checkin].
type CheckIn struct {
	// Hold is how long the Stop hook waits for a reply before the terminal is
	// free again; with "0s" it does not wait. A later reply wakes the session.
	Hold Duration `toml:"hold"`
}

func (c CheckIn) check() error {
	return c.Hold.checkRange("checkin.hold", 0, maxHold)
}

// A Duration is a time as Go writes it: "90s", "2h".
type Duration time.Duration

// String returns the time to the second, without empty parts: 2h, 12m5s.
func (d Duration) String() string { return text.Length(time.Duration(d)) }

// checkRange returns an error if the value d of a key is less than least or more than most.
func (d Duration) checkRange(key string, least, most Duration) error {
	if d < least || d > most {
		return fmt.Errorf("%s must be between %s and %s, not %s", key, least, most, d)
	}
	return nil
}

// Form says how such a time is written.
func (Duration) Form() string { return `a time in quotes, such as "90s" or "2h"` }

// UnmarshalText reads such a time.
func (d *Duration) UnmarshalText(raw []byte) error {
	v, err := time.ParseDuration(string(raw))
	if err != nil {
		return fmt.Errorf("unknown time %q; want one such as \"90s\" or \"2h\"", raw)
	}
	*d = Duration(v)
	return nil
}
