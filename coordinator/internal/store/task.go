package store

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/task"
)

// Tasks are the tasks; all of them are loaded.
var Tasks = NewKind(Kind[task.Slug, task.Task]{
	Table:   "tasks",
	ID:      func(t task.Task) task.Slug { return t.Slug },
	Columns: []Column[task.Task]{millis("at", func(t task.Task) time.Time { return t.CreatedAt })},
})
