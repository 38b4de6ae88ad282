package core

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A taskTable holds what Afar keeps of tasks beside their folders.
type taskTable struct {
	*table[task.Slug, task.Task]
}

func newTaskTable(s *state) taskTable {
	return taskTable{register(s, store.Tasks, traits[task.Task]{})}
}

func noteTask(b *store.Batch, kind event.Kind, slug task.Slug, text string, now time.Time) {
	record(b, kind, "", string(slug), "task "+string(slug)+": "+folded(text), now)
}

// NewTask records a task that a person has created. A second call with the same key returns
// the task of the first.
func (c *Core) NewTask(t task.Task) (made task.Task, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		for _, old := range s.tasks.rows {
			if old.Key == t.Key && t.Key != "" {
				made = old
				return b, nil
			}
		}
		if _, taken := s.tasks.rows[t.Slug]; taken {
			return b, fmt.Errorf("a task with the name %s: %w", t.Slug, ErrTaken)
		}
		made = t
		made.CreatedAt = now
		s.tasks.put(&b, made)
		noteTask(&b, event.TaskCreated, t.Slug, "created by "+t.By, now)
		return b, nil
	})
	return made, err
}

// Task returns what is kept of a task. A folder that no person has made a task has nothing.
func (c *Core) Task(slug task.Slug) (t task.Task, ok bool) {
	c.view(func(s *state, _ time.Time) { t, ok = s.tasks.rows[slug] })
	return t, ok
}

// Tasks returns what is kept of all tasks, by name.
func (c *Core) Tasks() (all []task.Task) {
	c.view(func(s *state, _ time.Time) {
		for _, t := range s.tasks.rows {
			all = append(all, t)
		}
	})
	slices.SortFunc(all, func(a, b task.Task) int { return strings.Compare(string(a.Slug), string(b.Slug)) })
	return all
}

// TaskRun returns the run that works on a task, if it has one.
func (c *Core) TaskRun(t task.Task) (r run.Run, ok bool) {
	c.view(func(s *state, _ time.Time) { r = s.runs.rows[t.Run] })
	return r, r.Live()
}

// StartTask lets a run work on a task. The run that it had goes on, with the text next;
// without one r begins, with the text first. It refuses a task whose run has a turn.
func (c *Core) StartTask(slug task.Slug, r run.Run, first, next message.Message) (works run.Run, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		t, ok := s.tasks.rows[slug]
		if !ok {
			return b, fmt.Errorf("task %q: %w", slug, ErrNotFound)
		}
		if works, err = s.workOn(&b, t, r, first, next, now); err != nil {
			return b, err
		}
		s.tasks.put(&b, t.Launch(works.ID))
		noteTask(&b, event.TaskStarted, slug, "started by "+first.By+" as run "+works.Name, now)
		return b, nil
	})
	return works, err
}

// workOn continues the run of a task, or begins r.
func (s *state) workOn(
	b *store.Batch, t task.Task, r run.Run, first, next message.Message, now time.Time,
) (run.Run, error) {
	old := s.runs.rows[t.Run]
	switch {
	case !old.Live() && r.ID == "":
		return r, fmt.Errorf("the run of task %s: %w", t.Slug, ErrNotFound)
	case !old.Live():
		return s.startRun(b, s.named(r, string(t.Slug)), first, now)
	case !old.Settled():
		return old, fmt.Errorf("run %s works on task %s already: %w", old.Name, t.Slug, ErrTaken)
	}
	next.Session = session.ID(old.Conversation)
	s.post(b, next, now)
	old, _ = s.runs.after(b, old.ID)
	return old, nil
}

// named gives a run a name, unless another run has it.
func (s *state) named(r run.Run, name string) run.Run {
	if _, taken := s.runs.byName.one(name); !taken {
		r.Name = name
	}
	return r
}

// StopTask ends what the run of a task does, for the person by. Nothing but a person starts
// the task again.
func (c *Core) StopTask(slug task.Slug, by string) (t task.Task, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		old, ok := s.tasks.rows[slug]
		if !ok {
			return b, fmt.Errorf("task %q: %w", slug, ErrNotFound)
		}
		t = old.Stop()
		s.tasks.put(&b, t)
		noteTask(&b, event.TaskStopped, slug, "stopped by "+by, now)
		r := s.runs.rows[t.Run]
		if !r.Live() || r.Settled() {
			return b, nil
		}
		_, err = s.endRun(&b, r, by, now)
		return b, err
	})
	return t, err
}

// A TaskTurn is a turn of a task's run that has ended.
type TaskTurn struct {
	Task   task.Task
	Turn   int64
	Result string
	Failed bool
}

// UnseenTasks returns the tasks whose run has ended a turn after which nobody has looked at
// state.md.
func (c *Core) UnseenTasks() (all []TaskTurn) {
	c.view(func(s *state, _ time.Time) {
		for _, t := range s.tasks.rows {
			r := s.runs.rows[t.Run]
			if _, due := t.Look(r.Fence); due && r.Settled() {
				all = append(all, TaskTurn{Task: t, Turn: r.Fence, Result: briefly(r.Result), Failed: r.State == run.Failed})
			}
		}
	})
	return all
}

// SeeTask notes that state.md was looked at after a turn, and tells the person what it says,
// unless said is "".
func (c *Core) SeeTask(slug task.Slug, turn int64, said string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		old, ok := s.tasks.rows[slug]
		t, due := old.Look(turn)
		if !ok || !due {
			return b, nil
		}
		s.tasks.put(&b, t)
		if said != "" {
			s.notify(&b, "task:"+string(slug), session.ID(s.runs.rows[t.Run].Conversation), said, now)
			noteTask(&b, event.TaskTold, slug, said, now)
		}
		return b, nil
	})
}

// TaskSet notes that a person has set the status of a task in its state.md.
func (c *Core) TaskSet(slug task.Slug, status task.Status, by string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		noteTask(&b, event.TaskChanged, slug, by+" set the status "+string(status), now)
		return b, nil
	})
}
