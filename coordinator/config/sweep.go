package config

import (
	"fmt"
	"time"
)

// Sweep is the table [sweep].
type Sweep struct {
	// Every is how often Afar looks whether a task is due, or the person is to be told of it.
	Every Interval `toml:"every"`
}

// sweepByDefault are the defaults of [sweep].
var sweepByDefault = Sweep{Every: Interval(2 * time.Hour)}

const (
	leastSweep = Interval(time.Minute)
	mostSweep  = Interval(7 * 24 * time.Hour)
)

func (s Sweep) check() error {
	if s.Every != 0 && (s.Every < leastSweep || s.Every > mostSweep) {
		return fmt.Errorf("sweep.every must be off, or between %s and %s, not %s",
			Duration(leastSweep), Duration(mostSweep), Duration(s.Every))
	}
	return nil
}

// An Interval is a Duration, or 0 for off.
type Interval Duration

// Form says how an interval is written.
func (Interval) Form() string { return `a time in quotes, such as "2h", or "off"` }

// UnmarshalText reads an interval.
func (i *Interval) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*i = 0
		return nil
	}
	return (*Duration)(i).UnmarshalText(text)
}
