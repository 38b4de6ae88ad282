package taskwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Worker looks at the files of each task after each turn of its run and after each edit by
// hand, and tells the person what came of it. Now and then it lets tasks go on that are due.
type Worker struct {
	core    *feature.Core
	folders Folders
	begin   func(task.Task) (run.Run, error)
	set     Sweep
	log     *slog.Logger
	parts   sync.WaitGroup     // what runs beside Run
	asking  bool               // a model is asked; only Run uses it
	advice  chan []task.Advice // of the model
}

// New returns a worker for the tasks in some folders. begin returns the run with which the work
// on a task begins.
func New(
	c *feature.Core, folders Folders, begin func(task.Task) (run.Run, error), set Sweep, log *slog.Logger,
) *Worker {
	return &Worker{core: c, folders: folders, begin: begin, set: set, log: log, advice: make(chan []task.Advice, 1)}
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	defer w.parts.Wait()
	w.parts.Go(func() { w.watch(ctx) })
	sub := w.core.Subscribe(core.Turns, core.Tasks)
	defer sub.Close()
	var sweep <-chan time.Time
	if w.set.Every > 0 {
		ticker := time.NewTicker(w.set.Every)
		defer ticker.Stop()
		sweep = ticker.C
		w.settle()
		w.sweep(ctx) // what became due while no coordinator ran
	}
	for {
		w.settle()
		for _, t := range w.core.TasksToGoOn() {
			w.pass(t)
		}
		select {
		case <-sweep:
			w.settle()
			w.sweep(ctx)
		case all := <-w.advice:
			w.settle()
			w.follow(all)
		case <-sub.C:
		case <-ctx.Done():
			return
		}
	}
}

// settle deals with what turns, the person and other programs have left in the folders.
func (w *Worker) settle() {
	for _, t := range w.core.UnseenTasks() {
		w.look(t)
	}
	for _, t := range w.core.Tasks() {
		if err := errors.Join(w.checkpoint(t), w.core.SeeFault(t.Slug, w.fault(t))); err != nil {
			w.log.Error("look at the files of a task", "task", t.Slug, "err", err)
		}
	}
}

// pass lets a task go on with the texts that wait for it, if its file allows that now.
func (w *Worker) pass(t task.Task) {
	err := w.goOn(t, "text", false, task.Advised{})
	for _, later := range []error{task.ErrOver, task.ErrStatus, task.ErrObjective, core.ErrStopped, core.ErrTaken} {
		if errors.Is(err, later) {
			return
		}
	}
	if err != nil {
		w.log.Error("give a task its texts", "task", t.Slug, "err", err)
	}
}

// goOn lets a run work on a task. A run that the task had gets the texts that wait, and is
// prompted to go on if prompted is true. advised is the advice that it follows, zero for none.
func (w *Worker) goOn(t task.Task, why string, prompted bool, advised task.Advised) error {
	s, err := w.folders.Launch(t)
	if err != nil {
		return err
	}
	r, err := w.begin(t)
	if err != nil {
		return err
	}
	first, next := task.Prompts(s)
	if !prompted {
		next = ""
	}
	text := func(text string) message.Message {
		return message.Message{Key: "task:" + string(r.ID), Text: text, By: "Afar", Channel: why}
	}
	_, err = w.core.ContinueTask(t.Slug, core.Start{Run: r, First: text(first), Next: text(next), Advised: advised})
	return err
}

// look tells the person what a turn came to. It is done again if it breaks off before core
// has noted it.
func (w *Worker) look(t core.TaskTurn) {
	s, err := w.folders.State(t.Task.Slug)
	_, asks, failed := w.folders.checkpoint(t.Task.Slug)
	said := ""
	if !asks || s.Status == task.Completed { // the question says the rest
		said = outcome(t, s, w.made(t.Task.Slug))
	}
	if err = errors.Join(err, failed); err == nil {
		err = w.core.SeeTask(t.Task.Slug, t.Turn, said)
	}
	if err != nil {
		w.log.Error("look at a task after a turn", "task", t.Task.Slug, "err", err)
	}
}

// outcome returns what the person is told after a turn, "" for nothing: a run that failed is
// told by itself, a file that cannot be read is told by SeeFault, and a task that goes on or
// waits needs nobody.
func outcome(t core.TaskTurn, s task.State, made string) string {
	name := cmp.Or(s.Title, string(t.Task.Slug))
	switch {
	case t.Failed:
		return ""
	case s.Status == task.Completed:
		return fmt.Sprintf("✅ Task done: %s\n%s%s", name, t.Result, made)
	case s.Status == task.Blocked:
		return fmt.Sprintf("⛔ Task blocked: %s\n%s", name, t.Result)
	}
	return ""
}

// made names the newest artifacts of a task, "" for none.
func (w *Worker) made(slug task.Slug) string {
	files, more, err := w.folders.Files(slug)
	if err != nil {
		return "" // the rest of what the person is told does not depend on it
	}
	files = slices.DeleteFunc(files, func(f task.File) bool { return path.Dir(f.Path) == "." })
	if len(files) == 0 {
		return ""
	}
	shown := files[:min(len(files), mostNamed)]
	var names []string
	for _, f := range shown {
		names = append(names, text.Clip(text.Fold(f.Path), 80))
	}
	said := "\n📎 " + strings.Join(names, ", ")
	if more += len(files) - len(shown); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said
}

// mostNamed is how many artifacts the person is told of when a task is completed.
const mostNamed = 5

// fault returns what the person is told about a state.md that cannot be read or is too long, "" for
// any other, and for a folder that is gone. A file that is being written keeps the fault that it had.
func (w *Worker) fault(t task.Task) string {
	s, err := w.folders.State(t.Slug)
	switch {
	case !w.folders.Exists(t.Slug), err == nil && len(s.Faults) == 0 && s.Long() == "":
		return ""
	case w.folders.changing(t.Slug):
		return t.Fault
	case err == nil && len(s.Faults) == 0:
		return fmt.Sprintf("⚠️ Task %s: %s.", cmp.Or(s.Title, string(t.Slug)), s.Long())
	case err == nil:
		err = fmt.Errorf("state.md, %w", s.Faults[0])
	}
	return fmt.Sprintf("⚠️ Task %s: %v. Afar leaves the file as it is.", cmp.Or(s.Title, string(t.Slug)), err)
}
