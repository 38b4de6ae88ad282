package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// Asks are loaded while they wait, however old they are.
var Asks = NewKind(Kind[ask.ID, ask.Ask]{
	Table: "asks",
	ID:    func(a ask.Ask) ask.ID { return a.ID },
	Columns: []Column[ask.Ask]{
		{Name: "state", Of: func(a ask.Ask) any { return string(a.State) }},
		millis("opened_at", func(a ask.Ask) time.Time { return a.OpenedAt }),
	},
	Check: func(a ask.Ask) error {
		return oneOf(a.State, ask.Open, ask.Answered, ask.Delivered, ask.Withdrawn, ask.Expired, ask.Cancelled)
	},
	Wanted: "opened_at >= ?1 OR state IN ('open', 'answered')",
	Old:    "state NOT IN ('open', 'answered') AND opened_at < " + quarter,
})

// AsksEnded returns at most limit asks that are not open, newest first, and the rows that
// cannot be read: those that were opened before the ask with an id, or the newest for "".
func (s *Store) AsksEnded(before ask.ID, limit int) ([]ask.Ask, []Bad, error) {
	const newest = "state != 'open' ORDER BY opened_at DESC, rowid DESC LIMIT "
	if before == "" {
		return Asks.query(s, "WHERE "+newest+"?1", limit)
	}
	return Asks.query(s, "WHERE (opened_at, rowid) < (SELECT opened_at, rowid FROM asks WHERE id = ?1) AND "+
		newest+"?2", string(before), limit)
}

// AsksSince returns the asks that were opened at a time or later, oldest first,
// and the rows that cannot be read.
func (s *Store) AsksSince(at time.Time) ([]ask.Ask, []Bad, error) {
	return Asks.query(s, "WHERE opened_at >= ?1 ORDER BY opened_at, rowid", at.UnixMilli())
}
