package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/module"
)

// Modules are what is kept of modules.
var Modules = NewKind(Kind[module.Name, module.Module]{
	Table: "modules",
	ID:    func(m module.Module) module.Name { return m.Name },
})

// Seen are the events of modules that have come. They are looked up one by one.
var Seen = NewKind(Kind[module.SeenKey, module.Seen]{
	Table:   "seen",
	ID:      func(s module.Seen) module.SeenKey { return s.Key },
	Columns: []Column[module.Seen]{millis("at", func(s module.Seen) time.Time { return s.At })},
	Old:     "at < ?1",
})
