package config

import "errors"

// Loop is the table [loop].
type Loop struct {
	// DayBudget is what all loops together may spend in one day of the local
	// calendar, in US dollars at list prices; 0 is no limit.
	DayBudget float64 `toml:"day_budget"`
	// Trace posts each step of each loop to the topic loop:trace.
	Trace bool `toml:"trace"`
}

func (l Loop) check() error {
	if !(l.DayBudget >= 0 && l.DayBudget <= 1e6) {
		return errors.New("loop.day_budget must be an amount in US dollars, 0 for no limit")
	}
	return nil
}
