package ask

import "time"

// RemindAt returns when the person is to be reminded of a: this long after its card. The
// zero time means never. There is no reminder of a check-in, which needs no answer.
func (a Ask) RemindAt(after time.Duration) time.Time {
	switch {
	case after <= 0, a.Reminded, a.Kind == CheckIn, !a.Waiting():
		return time.Time{}
	case !a.Shown, a.CardAt.IsZero():
		return time.Time{}
	}
	return a.CardAt.Add(after)
}

// Remind records that the person was reminded of a.
func Remind(a Ask) Ask {
	a.Reminded = true
	return a
}
