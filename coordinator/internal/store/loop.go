package store

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Loops has the newest loop of each session.
var Loops = NewKind(Kind[session.ID, loop.Stack]{
	Table:   "loops",
	Key:     "session",
	ID:      func(l loop.Stack) session.ID { return session.ID(l.Session) },
	Columns: []Column[loop.Stack]{millis("updated_at", func(l loop.Stack) time.Time { return l.UpdatedAt })},
	Wanted:  "updated_at >= ?1",
	Life:    func(l loop.Stack) string { return l.RunID },
	also:    keepPast,
})

// pastLoops has the loops that have ended, by session and run.
var pastLoops = NewKind(Kind[string, loop.Stack]{
	Table:   "past_loops",
	Key:     "key",
	ID:      func(l loop.Stack) string { return l.Session + "/" + l.RunID },
	Columns: []Column[loop.Stack]{millis("ended_at", func(l loop.Stack) time.Time { return l.Ended.At })},
	Check: func(l loop.Stack) error {
		if l.Ended == nil {
			return fmt.Errorf("the loop has not ended")
		}
		return nil
	},
	Old: "ended_at < ?1",
	of:  "loops",
})

// keepPast keeps a loop that has ended. One that is kept already is replaced.
func keepPast(w writer, l loop.Stack) error {
	if l.Ended == nil {
		return nil
	}
	return valueRow[string, loop.Stack]{kind: pastLoops, value: l}.write(w)
}

// PastLoops returns at most limit loops that have ended, newest first, and the
// rows that cannot be read.
func (s *Store) PastLoops(limit int) ([]loop.Stack, []Bad, error) {
	return pastLoops.query(s, "ORDER BY ended_at DESC, key LIMIT ?1", limit)
}
