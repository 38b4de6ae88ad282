package usage

import "time"

// Slot is the length of the time that a Spent is about.
const Slot = 10 * time.Minute

// A Spent is what sessions used in the Slot that begins At.
type Spent struct {
	At  time.Time
	USD float64 // at list prices
}
