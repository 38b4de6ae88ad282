package module

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
)

// A Module is what Afar keeps of a module beside its folder.
type Module struct {
	approved.File           // of the folder
	Name          Name      `json:"name"`
	Events        int       `json:"events,omitempty"` // of its source, in all
	Last          time.Time `json:"last,omitzero"`    // when the newest one came
	// Bad counts the lines of its source that were no events since it was enabled, and BadLine says
	// what was wrong with the newest one.
	Bad     int    `json:"bad,omitempty"`
	BadLine string `json:"bad_line,omitempty"`
}

// Known reports whether a person has ever enabled m.
func (m Module) Known() bool { return m.Name != "" }

// Enable returns m after a person has enabled a folder with this hash.
func (m Module) Enable(hash, by string, now time.Time) Module {
	m.File, m.Bad, m.BadLine = m.Approve(hash, by, now), 0, ""
	return m
}

// Disable returns m after a person has disabled it.
func (m Module) Disable(by string, now time.Time) Module {
	m.File = m.Off()
	m.By, m.At = by, now
	return m
}

// Came returns m after one more event of its source.
func (m Module) Came(now time.Time) Module {
	m.Events, m.Last = m.Events+1, now
	return m
}

// Garbled returns m after a line of its source that is no event.
func (m Module) Garbled(why string) Module {
	m.Bad, m.BadLine = m.Bad+1, why
	return m
}

// Pauses of a source that ends: 1 s, doubled each time, up to longest. One that went on for
// steady begins again at 1 s.
const (
	shortest = time.Second
	longest  = 5 * time.Minute
	steady   = time.Minute
)

// A Backoff counts the ends of a source in a row.
type Backoff struct{ Ends int }

// Ended returns the next count after a source that ran for a while, and the pause before it is
// started again.
func (b Backoff) Ended(ran time.Duration) (Backoff, time.Duration) {
	if ran >= steady {
		b.Ends = 0
	}
	b.Ends++
	pause := shortest
	for range b.Ends - 1 {
		if pause *= 2; pause >= longest {
			return b, longest
		}
	}
	return b, pause
}

// TellAfter is after how many ends in a row the person is told of a source that does not stay.
const TellAfter = 5

// Lines are let through one after the other: the first burst at once, the others at rate.
const (
	burst = 100
	rate  = time.Second
)

// A Pace says when the lines of a source are taken.
type Pace struct{ Free time.Time }

// Next returns the pace after one more line, and how long that line must wait.
func (p Pace) Next(now time.Time) (Pace, time.Duration) {
	if earliest := now.Add(-burst * rate); p.Free.Before(earliest) {
		p.Free = earliest
	}
	p.Free = p.Free.Add(rate)
	return p, max(0, p.Free.Sub(now))
}
