package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
)

// farOff is later than every time at which rows are loaded.
var farOff = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Grants are loaded until they end.
var Grants = NewKind(Kind[grant.ID, grant.Grant]{
	Table: "grants",
	ID:    func(g grant.Grant) grant.ID { return g.ID },
	Columns: []Column[grant.Grant]{
		{Name: "ended", Of: func(g grant.Grant) any { return !g.EndedAt.IsZero() }},
		millis("at", func(g grant.Grant) time.Time {
			if len(g.Kept) > 0 {
				return farOff // it counts however old it is
			}
			return g.At
		}),
	},
	Wanted: "ended = 0 AND at >= ?1",
	Old:    "ended = 1 AND at < " + quarter,
})
