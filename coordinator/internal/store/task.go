package store

import (
	_ "embed"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/task"
)

//go:embed task.sql
var taskSchema string

// Tasks are the tasks; all of them are loaded.
var Tasks = NewKind(Kind[task.Slug, task.Task]{
	Table:   "tasks",
	ID:      func(t task.Task) task.Slug { return t.Slug },
	Columns: []Column[task.Task]{millis("at", func(t task.Task) time.Time { return t.CreatedAt })},
})
