package session

import "time"

// Quiet are hours of the day in which nobody wants to be told what can wait.
// From and To are times of the day since midnight, by the clocks of Zone; the
// hours may go over midnight. The zero value is never.
type Quiet struct {
	From, To time.Duration
	Zone     *time.Location
}

// Until returns when the quiet hours end that now lies in, the zero time when it
// lies in none. Where clocks are put forward or back the hours begin and end
// when the clocks say so.
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
