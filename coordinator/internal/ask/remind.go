package ask

import "time"

// RemindAt returns when the person is to be reminded of a, who was told of it so
// long before; the zero time is never. A check-in is nothing that waits for an
// answer.
func (a Ask) RemindAt(after time.Duration) time.Time {
	waits := a.Shown && !a.CardAt.IsZero() && (a.State == Open || a.Parked) && a.Kind != CheckIn
	if after <= 0 || a.Reminded || !waits {
		return time.Time{}
	}
	return a.CardAt.Add(after)
}

// Remind notes that the person was reminded of a.
func Remind(a Ask) Ask {
	a.Reminded = true
	return a
}
