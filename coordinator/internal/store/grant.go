package store

import (
	_ "embed"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
)

//go:embed grant.sql
var grantSchema string

// Grants are loaded until they end.
var Grants = NewKind(Kind[grant.ID, grant.Grant]{
	Table: "grants",
	ID:    func(g grant.Grant) grant.ID { return g.ID },
	Columns: []Column[grant.Grant]{
		{Name: "ended", Of: func(g grant.Grant) any { return !g.EndedAt.IsZero() }},
		millis("at", func(g grant.Grant) time.Time { return g.At }),
	},
	Wanted: "ended = 0 AND at >= ?1",
})
