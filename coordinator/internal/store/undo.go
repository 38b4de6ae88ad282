package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// Undos are the snapshots; they are loaded until they are gone, however old they are.
var Undos = NewKind(Kind[undo.ID, undo.Snapshot]{
	Table: "undos",
	ID:    func(v undo.Snapshot) undo.ID { return v.ID },
	Columns: []Column[undo.Snapshot]{
		{Name: "open", Of: func(v undo.Snapshot) any { return v.State != undo.Gone }},
		millis("at", func(v undo.Snapshot) time.Time { return v.PlannedAt }),
	},
	Check: func(v undo.Snapshot) error {
		return oneOf(v.State, undo.Planned, undo.Ready, undo.Restoring, undo.Restored, undo.Gone)
	},
	Wanted: "open = 1 OR at >= ?1",
	Old:    "open = 0 AND at < ?1",
})
