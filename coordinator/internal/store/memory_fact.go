package store

import (
	"time"
)

// A FactSeen says that something was in memory once.
type FactSeen struct {
	Digest string    `json:"digest"` // of what a fact says, or of its subject; see memory.Fact.Seen
	At     time.Time `json:"at"`
}

// FactsSeen are loaded for good: what a person deletes stays deleted.
var FactsSeen = NewKind(Kind[string, FactSeen]{
	Table:   "facts",
	ID:      func(f FactSeen) string { return f.Digest },
	Columns: []Column[FactSeen]{millis("at", func(f FactSeen) time.Time { return f.At })},
})
