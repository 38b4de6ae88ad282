package core

import (
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// ErrStopped says that a person has stopped the task: nothing but a person starts it.
var ErrStopped = errors.New("a person has stopped the task")

// A taskTable holds what is kept of the tasks.
type taskTable struct {
	*table.Table[task.Slug, task.Task]
	byKey *table.Index[task.Slug, task.Task]
	byRun *table.Index[task.Slug, task.Task]
}

func newTaskTable(s *State) taskTable {
	t := Register(s, store.Tasks, table.Traits[task.Task]{Touches: taskParts})
	return taskTable{
		Table: t,
		byKey: t.IndexBy(func(t task.Task) string { return t.Key }),
		byRun: t.IndexBy(func(t task.Task) string { return string(t.Run) }),
	}
}

func taskParts(_, _ task.Task) []wake.Part { return []wake.Part{Tasks} }

func (s *Draft) noteTask(kind event.Kind, slug task.Slug, text string) {
	s.Record(kind, "", string(slug), "task "+string(slug)+": "+Folded(text))
}

// NewTask records a task that a person has created. A second call with the same key returns
// the task of the first.
func (c *Core) NewTask(t task.Task) (made task.Task, err error) {
	err = c.Do(func(s *Draft) error {
		if old, known := s.Tasks.byKey.One(t.Key); known {
			made = old
			return nil
		}
		if _, taken := s.Tasks.Rows[t.Slug]; taken {
			return fmt.Errorf("a task with the name %s: %w", t.Slug, ErrTaken)
		}
		made = t
		made.CreatedAt = s.Now
		s.Tasks.Put(s.Batch, made)
		s.noteTask(event.TaskCreated, t.Slug, "created by "+t.By)
		return nil
	})
	return made, err
}

// Task returns what is kept of a task. A folder that no person has made a task has nothing.
func (c *Core) Task(slug task.Slug) (t task.Task, ok bool) {
	c.View(func(s *State, _ time.Time) { t, ok = s.Tasks.Rows[slug] })
	return t, ok
}

// Tasks returns what is kept of all tasks, by name.
func (c *Core) Tasks() (all []task.Task) {
	c.View(func(s *State, _ time.Time) { all = s.Tasks.Sorted() })
	return all
}

// TaskRun returns the run that works on a task, if it has one.
func (c *Core) TaskRun(t task.Task) (r run.Run, ok bool) {
	c.View(func(s *State, _ time.Time) { r = s.Runs.Rows[t.Run] })
	return r, r.Live()
}

// A Start says how the work on a task begins or goes on.
type Start struct {
	Run   run.Run         // begins, unless the task has a run
	First message.Message // of a run that begins
	Next  message.Message // of the run that goes on; without a text it gets only what waits for the task
	// Advised is the advice of the sweep's model that is followed, zero for none.
	Advised task.Advised
}

// StartTask lets a run work on a task for a person. The run that the task had goes on. It gets
// the texts that wait for the task. StartTask refuses a task whose run has a turn. A second call
// with texts of the same key is the same start.
func (c *Core) StartTask(slug task.Slug, in Start) (works run.Run, err error) {
	err = c.Do(func(s *Draft) (err error) {
		if _, again := s.Messages.Rows[message.IDOf(in.First.Key)]; again {
			works = s.Runs.Rows[s.Tasks.Rows[slug].Run]
			return nil
		}
		works, err = s.startTask(slug, in)
		return err
	})
	return works, err
}

// ContinueTask does for Afar what StartTask does for a person. It returns ErrStopped for a task
// that a person has stopped.
func (c *Core) ContinueTask(slug task.Slug, in Start) (works run.Run, err error) {
	err = c.Do(func(s *Draft) (err error) {
		if s.Tasks.Rows[slug].Stopped {
			return fmt.Errorf("task %s: %w", slug, ErrStopped)
		}
		works, err = s.startTask(slug, in)
		return err
	})
	return works, err
}

func (s *Draft) startTask(slug task.Slug, in Start) (works run.Run, err error) {
	t, ok := s.Tasks.Rows[slug]
	if !ok {
		return works, fmt.Errorf("task %q: %w", slug, ErrNotFound)
	}
	works, next := s.Runs.Rows[t.Run], in.Next
	switch {
	case !works.Live():
		works, err = s.startRun(s.named(in.Run, string(slug)), in.First)
		next = message.Message{}
	case !works.Settled():
		err = fmt.Errorf("run %s works on task %s already: %w", works.Name, slug, ErrTaken)
	}
	if err != nil {
		return works, err
	}
	t = t.Launch(works.ID)
	t.Advised = in.Advised
	s.Tasks.Put(s.Batch, t)
	s.noteTask(event.TaskStarted, slug, "started by "+in.First.By+" as run "+works.Name)
	s.assignTexts(slug, works)
	if next.Text != "" {
		next.Session = session.ID(works.Conversation)
		s.Post(next)
	}
	s.queueRunOf(session.ID(works.Conversation))
	works, _ = s.Runs.After(s.Batch, works.ID)
	return works, nil
}

// named gives a run a name, unless another run has it.
func (s *State) named(r run.Run, name string) run.Run {
	if _, taken := s.Runs.ByName.One(name); !taken {
		r.Name = name
	}
	return r
}

// StopTask ends what the run of a task does, for the person by. Nothing but a person starts
// the task again.
func (c *Core) StopTask(slug task.Slug, by string) (t task.Task, err error) {
	err = c.Do(func(s *Draft) (err error) {
		old, ok := s.Tasks.Rows[slug]
		if !ok {
			return fmt.Errorf("task %q: %w", slug, ErrNotFound)
		}
		t = old.Stop()
		s.stopTask(t, by)
		r := s.Runs.Rows[t.Run]
		if !r.Live() || r.Settled() || r.State == run.Taken { // a taken one is in the person's hands
			return nil
		}
		_, err = s.endRun(r, by)
		return err
	})
	return t, err
}

func (s *Draft) stopTask(t task.Task, by string) {
	s.Tasks.Put(s.Batch, t.Stop())
	s.noteTask(event.TaskStopped, t.Slug, "stopped by "+by)
}

// TaskOf returns the task on which a run works, as the draft leaves it.
func (s *Draft) TaskOf(id run.ID) (t task.Task, ok bool) {
	if id == "" {
		return t, false
	}
	for _, t := range s.Tasks.byRun.After(s.Batch, string(id)) {
		return t, true
	}
	return t, false
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
	c.View(func(s *State, _ time.Time) {
		for _, t := range s.Tasks.Rows {
			r := s.Runs.Rows[t.Run]
			if _, due := t.Look(r.Fence); due && r.Settled() {
				all = append(all, TaskTurn{
					Task: t, Turn: r.Fence, Result: Briefly(r.Result), Failed: r.State == run.Failed,
				})
			}
		}
	})
	return all
}

// SeeTask notes that state.md was looked at after a turn, and tells the person what it says,
// unless said is "".
func (c *Core) SeeTask(slug task.Slug, turn int64, said string) error {
	return c.Do(func(s *Draft) error {
		old, ok := s.Tasks.Rows[slug]
		t, due := old.Look(turn)
		if !ok || !due {
			return nil
		}
		s.Tasks.Put(s.Batch, t)
		if said != "" {
			r := s.Runs.Rows[t.Run]
			s.heap("task:"+string(t.Slug), session.ID(r.Conversation), channel.News{Text: said}, nil, !rang(r, s.Now))
			s.noteTask(event.TaskTold, t.Slug, said)
		}
		return nil
	})
}

// rang reports whether the end of a run's turn has just rung, or is about to: what else the turn came
// to comes without a ring of its own.
func rang(r run.Run, now time.Time) bool { return !r.ToldAt.Before(now.Add(-ringFor)) }

// ringFor is how long a ring stands for what follows it.
const ringFor = 30 * time.Second

// TellTask tells the person something about a task.
func (s *Draft) TellTask(t task.Task, said channel.News) {
	s.Notify("task:"+string(t.Slug), session.ID(s.Runs.Rows[t.Run].Conversation), said)
	s.noteTask(event.TaskTold, t.Slug, said.Words())
}

// SeeFault notes what is wrong with the state.md of a task, in the words in which the person is
// told of it once; "" is nothing. While a turn works, its agent may be writing the file, and
// no fault is noted.
func (c *Core) SeeFault(slug task.Slug, said string) error {
	return c.Do(func(s *Draft) error {
		t, ok := s.Tasks.Rows[slug]
		r := s.Runs.Rows[t.Run]
		withheld := said != "" && r.Live() && !r.Settled()
		if !ok || withheld || t.Fault == said {
			return nil
		}
		t.Fault = said
		s.Tasks.Put(s.Batch, t)
		if said != "" {
			s.TellTask(t, channel.News{Text: said})
		}
		return nil
	})
}

// TouchTasks wakes those who wait for a change of tasks: something in a folder has changed.
func (c *Core) TouchTasks() {
	c.lock()
	defer c.unlock()
	c.bell.Ring(Tasks, Anything)
}

// NoteTask notes that a person has changed a task in its folder.
func (c *Core) NoteTask(slug task.Slug, what string) error {
	return c.Do(func(s *Draft) error {
		if t, ok := s.Tasks.Rows[slug]; ok {
			s.Tasks.Put(s.Batch, t) // texts may wait for the status
		}
		s.noteTask(event.TaskChanged, slug, what)
		return nil
	})
}
