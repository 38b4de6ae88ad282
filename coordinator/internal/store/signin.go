package store

import (
	"github.com/afar-sh/afar/coordinator/internal/signin"
)

// Browsers are loaded until their sign-in ends.
var Browsers = NewKind(Kind[signin.ID, signin.Browser]{
	Table:   "browsers",
	ID:      func(b signin.Browser) signin.ID { return b.ID },
	Columns: []Column[signin.Browser]{{Name: "ended", Of: func(b signin.Browser) any { return !b.EndedAt.IsZero() }}},
	Wanted:  "ended = 0",
})
