package config

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // for machines without a database of time zones
)

// Quiet is the table [quiet]: the hours in which notices wait. Questions never wait.
type Quiet struct {
	From Clock `toml:"from"`
	To   Clock `toml:"to"` // if it is before From, the hours include midnight
	// Zone names a time zone as in "Europe/Berlin"; "" is the machine's own.
	Zone string `toml:"zone"`
}

// On reports whether there are quiet hours.
func (q Quiet) On() bool { return q.From.set || q.To.set }

// Location returns the time zone of the hours.
func (q Quiet) Location() (*time.Location, error) {
	if q.Zone == "" {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		return nil, fmt.Errorf("quiet.zone must be a time zone such as \"Europe/Berlin\", not %q", q.Zone)
	}
	return zone, nil
}

func (q Quiet) check() error {
	switch {
	case q.From.set != q.To.set:
		return errors.New("quiet hours need both quiet.from and quiet.to")
	case q.On() && q.From == q.To:
		return errors.New("quiet.from and quiet.to are the same: leave both out for no quiet hours")
	}
	_, err := q.Location()
	return err
}

// A Clock is a time of the day, such as "22:30". The zero value is no time.
type Clock struct {
	At  time.Duration // since midnight
	set bool
}

// Form says how such a time is written.
func (Clock) Form() string { return `a time of the day in quotes, such as "22:30"` }

// UnmarshalText reads such a time.
func (c *Clock) UnmarshalText(text []byte) error {
	at, err := time.Parse("15:04", string(text))
	if err != nil {
		return fmt.Errorf("unknown time of the day %q; want one such as \"22:30\"", text)
	}
	*c = Clock{time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute, true}
	return nil
}

// String returns the time as it is written in the file, "" for no time.
func (c Clock) String() string {
	if !c.set {
		return ""
	}
	return fmt.Sprintf("%02d:%02d", int(c.At.Hours()), int(c.At.Minutes())%60)
}
