package taskwork

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A Worker looks at the state.md of each task after each turn of its run, and tells the
// person what came of it.
type Worker struct {
	core    *core.Core
	folders Folders
	log     *slog.Logger
}

// New returns a worker for the tasks in some folders.
func New(c *core.Core, folders Folders, log *slog.Logger) *Worker {
	return &Worker{core: c, folders: folders, log: log}
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	sub := w.core.Subscribe(core.Turns)
	defer sub.Close()
	for {
		for _, t := range w.core.UnseenTasks() {
			w.look(t)
		}
		select {
		case <-sub.C:
		case <-ctx.Done():
			return
		}
	}
}

// look tells the person what a turn came to. It is done again if it breaks off before core
// has noted it.
func (w *Worker) look(t core.TaskTurn) {
	s, err := w.folders.State(t.Task.Slug)
	if err == nil {
		err = w.core.SeeTask(t.Task.Slug, t.Turn, outcome(t, s))
	}
	if err != nil {
		w.log.Error("look at a task after a turn", "task", t.Task.Slug, "err", err)
	}
}

// outcome returns what the person is told after a turn, "" for nothing: a run that failed is
// told by itself, and a task that goes on or waits needs nobody.
func outcome(t core.TaskTurn, s task.State) string {
	name := cmp.Or(s.Title, string(t.Task.Slug))
	switch {
	case t.Failed:
		return ""
	case s.Status == task.Completed:
		return fmt.Sprintf("✅ Task completed: %s\n%s", name, t.Result)
	case s.Status == task.Blocked:
		return fmt.Sprintf("⛔ Task blocked: %s\n%s", name, t.Result)
	case s.Status == task.Unknown:
		return fmt.Sprintf("⚠️ Task %s: state.md, %v", name, s.Faults[len(s.Faults)-1])
	}
	return ""
}
