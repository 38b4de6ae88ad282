package session

import "time"

// Quiet are the hours of the day in which messages that can wait are held back. From
// and To are durations since midnight, in the time zone Zone. The hours may include
// midnight. The zero value means never.
type Quiet struct {
	From, To time.Duration
	Zone     *time.Location
}

// Until returns when the current quiet hours end, the zero time if now is not in quiet
// hours. When clocks change, the hours follow the local clock.
func (q Quiet) Until(now time.Time) time.Time {
	if q.Zone == nil || q.From == q.To {
		return time.Time{}
	}
	y, m, d := now.In(q.Zone).Date()
	for _, begins := range []int{d - 1, d} {
		ends := begins
		if q.To < q.From {
			ends++
		}
		from, to := q.at(y, m, begins, q.From), q.at(y, m, ends, q.To)
		if !now.Before(from) && now.Before(to) {
			return to
		}
	}
	return time.Time{}
}

func (q Quiet) at(y int, m time.Month, d int, clock time.Duration) time.Time {
	return time.Date(y, m, d, int(clock/time.Hour), int(clock%time.Hour/time.Minute), 0, 0, q.Zone)
}
