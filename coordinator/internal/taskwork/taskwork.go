package taskwork

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A Worker looks at the state.md of each task after each turn of its run, and tells the
// person what came of it. Now and then it lets tasks go on that are due.
type Worker struct {
	core    *core.Core
	folders Folders
	every   time.Duration
	log     *slog.Logger
}

// New returns a worker for the tasks in some folders. It sweeps them every so often, 0 for
// never.
func New(c *core.Core, folders Folders, every time.Duration, log *slog.Logger) *Worker {
	return &Worker{core: c, folders: folders, every: every, log: log}
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	sub := w.core.Subscribe(core.Turns)
	defer sub.Close()
	var sweep <-chan time.Time
	if w.every > 0 {
		ticker := time.NewTicker(w.every)
		defer ticker.Stop()
		sweep = ticker.C
		w.sweep(time.Now()) // what became due while no coordinator ran
	}
	for {
		for _, t := range w.core.UnseenTasks() {
			w.look(t)
		}
		select {
		case now := <-sweep:
			w.sweep(now)
		case <-sub.C:
		case <-ctx.Done():
			return
		}
	}
}

// sweep lets the tasks go on whose waiting is over.
func (w *Worker) sweep(now time.Time) {
	for _, t := range w.core.Tasks() {
		s, err := w.folders.State(t.Slug)
		if err == nil && t.Due(s, now) && w.rests(t) {
			err = w.resume(t, now)
		}
		if err != nil {
			w.log.Error("sweep a task", "task", t.Slug, "err", err)
		}
	}
}

// rests reports whether the run of a task has ended its turn well.
func (w *Worker) rests(t task.Task) bool {
	r, ok := w.core.TaskRun(t)
	return ok && r.State == run.Idle
}

// resume lets the run of a task go on.
func (w *Worker) resume(t task.Task, now time.Time) error {
	s, err := w.folders.Launch(t.Slug)
	if err != nil {
		return err
	}
	_, next := task.Prompts(s)
	key := fmt.Sprintf("task:%s:%d", t.Slug, now.UnixNano())
	m := message.Message{Key: key, Text: next, By: "Afar", Channel: "sweep"}
	_, err = w.core.StartTask(t.Slug, run.Run{}, m, m)
	return err
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
