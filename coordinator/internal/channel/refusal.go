package channel

import "time"

// A Refusal says that the address of the paired person takes nothing. What is for the person waits until it ends.
type Refusal struct {
	Why   string    `json:"why"` // in words for people
	Fix   string    `json:"fix"` // what ends it
	Since time.Time `json:"since"`
	// Absent says that messages would arrive, but not at the person. Only the person themself ends this.
	Absent bool      `json:"absent,omitempty"`
	Tries  int       `json:"tries,omitempty"`
	Next   time.Time `json:"next"`           // when it is tried again
	Over   bool      `json:"over,omitempty"` // kept to recognise the same refusal when it returns soon
}

const (
	// longestHold is the longest pause between two attempts at an address that refuses.
	longestHold = 30 * time.Second
	// sameRefusal is how soon a refusal must return to be the same one, which is told once.
	sameRefusal = 10 * time.Minute
)

// Refused returns the refusal that lasts, nil for none.
func (a Account) Refused() *Refusal {
	if a.Person == nil || a.Refusal == nil || a.Refusal.Over {
		return nil
	}
	return a.Refusal
}

// Refuse records that an attempt at the address of the person was refused at now. tell says that people do not
// know it yet.
func (a Account) Refuse(r Refusal, now time.Time) (next Account, tell bool) {
	r.Since, r.Tries, tell = now, 0, true
	if old := a.Refusal; old != nil && old.goesOn(r, now) {
		r.Since, r.Tries, tell = old.Since, old.Tries, false
	}
	r.Next = now.Add(min(time.Second<<min(r.Tries, 5), longestHold))
	r.Tries++
	if old := a.Refused(); old != nil && old.Absent {
		r.Absent = true
	}
	if r.Absent {
		r.Next = now.AddDate(100, 0, 0)
	}
	a.Refusal = &r
	return a, tell
}

// goesOn reports whether r is the same refusal as old. Telegram's words for one may differ.
func (old *Refusal) goesOn(r Refusal, now time.Time) bool {
	if old.Over {
		return old.Why == r.Why && now.Sub(old.Next) < sameRefusal
	}
	return old.Absent || !r.Absent
}

// Accept records that the address of the person takes messages at now, or may do so.
func (a Account) Accept(now time.Time) Account {
	r := *a.Refusal
	r.Over, r.Tries, r.Next = true, 0, now
	a.Refusal = &r
	return a
}
