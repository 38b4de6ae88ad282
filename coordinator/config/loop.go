package config

import (
	"errors"
	"time"
)

// The defaults of the table [loop].
const (
	retryAfter = Duration(5 * time.Minute)
	shellsFor  = Duration(2 * time.Minute)
)

// maxLoopWait bounds the times of [loop], so that a mistyped one cannot hold a loop for a
// day.
const maxLoopWait = Duration(time.Hour)

// Loop is the table [loop].
type Loop struct {
	// DayBudget is how much all loops together may spend in one day of the local
	// calendar, in US dollars at list prices; 0 means no limit.
	DayBudget float64 `toml:"day_budget"`
	// Trace posts each step of each loop to the topic loop:trace.
	Trace bool `toml:"trace"`
	// retryAfter is how long a loop that the provider refused waits before it is
	// tried again; each refusal in a row doubles it, up to an hour.
	RetryAfter Duration `toml:"retry_after"`
	// shellsFor is how long a session may stop for a background shell that it has
	// just started, before its loop goes on without it.
	ShellsFor Duration `toml:"shells_for"`
}

func (l Loop) check() error {
	if !(l.DayBudget >= 0 && l.DayBudget <= 1e6) {
		return errors.New("loop.day_budget must be an amount in US dollars, 0 for no limit")
	}
	return errors.Join(
		l.RetryAfter.checkRange("loop.retry_after", Duration(time.Second), maxLoopWait),
		l.ShellsFor.checkRange("loop.shells_for", Duration(time.Second), maxLoopWait),
	)
}
