package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Sessions are kept by the host's id.
var Sessions = NewKind(Kind[session.ID, session.Session]{
	Table:   "sessions",
	ID:      func(v session.Session) session.ID { return v.ID },
	Columns: []Column[session.Session]{millis("seen_at", func(v session.Session) time.Time { return v.SeenAt })},
	Check: func(v session.Session) error {
		if v.State == "" {
			return nil // it is not known yet what the session does
		}
		return oneOf(v.State, session.Working, session.Waiting, session.Idle, session.Ended)
	},
	Wanted: "seen_at >= ?1",
	Old:    "seen_at < " + quarter,
})
