package noun

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Tasks are the folders of the tasks.
type Tasks interface {
	Dir(task.Slug) string
	List() ([]task.Slug, error)
	Exists(task.Slug) bool
	Make(slug task.Slug, title, objective string, today time.Time) error
	State(task.Slug) (task.State, error)
	SetStatus(task.Slug, task.Status) error
	Launch(task.Task) (task.State, error)
	Held(task.Slug) string
	// Edit saves a state.md that a person wrote. If the file is not that of base any more, it
	// stays, and kept names the file beside it that holds the person's text.
	Edit(slug task.Slug, base, text string) (kept string, err error)
	Files(task.Slug) (files []task.File, more int, err error)
	// File returns what one of those holds.
	File(slug task.Slug, path string) ([]byte, error)
	// Keep saves a file of a person among the artifacts, and returns its path.
	Keep(slug task.Slug, name string, data []byte) (saved string, err error)
}

// Bounds of what a person writes for a task.
const (
	maxTitle     = 200      // characters
	maxObjective = 32 << 10 // bytes
)

func (s *Server) tasks(*door.Call, wire.None) (out wire.TasksReply, err error) {
	slugs, err := s.cfg.Tasks.List()
	if err != nil {
		return out, err
	}
	out.Tasks = append(wire.List(slugs, s.wireTask), mirrored[wire.Task](s, fleet.OfTask)...)
	slices.SortStableFunc(out.Tasks, func(a, b wire.Task) int { return cmp.Compare(archived(a), archived(b)) })
	return out, nil
}

// unreadableTask returns what is known of a task whose state.md cannot be read.
func (s *Server) unreadableTask(slug task.Slug, why error) wire.Task {
	_, known := s.cfg.Core.Task(slug)
	return wire.Task{
		ID:       string(slug),
		Title:    string(slug),
		Dir:      s.cfg.Tasks.Dir(slug),
		Faults:   []string{"cannot be read: " + why.Error()},
		Proposed: !known,
	}
}

// archived sorts archived tasks behind the others.
func archived(t wire.Task) int {
	if t.Status == string(task.Archived) {
		return 1
	}
	return 0
}

func (s *Server) task(_ *door.Call, slug task.Slug) (out wire.Task, err error) {
	return s.wireTask(slug), nil
}

// taskNamed returns the name of a task that has a folder; task:SLUG is the same.
func (s *Server) taskNamed(name string) (task.Slug, error) {
	name = strings.TrimPrefix(name, "task:")
	if err := task.CheckSlug(name); err != nil {
		return "", door.BadRequest("%v", err)
	}
	if !s.cfg.Tasks.Exists(task.Slug(name)) {
		return "", fmt.Errorf("task %q: %w", name, core.ErrNotFound)
	}
	return task.Slug(name), nil
}

func (s *Server) taskNew(c *door.Call, in wire.TaskNewRequest) (out wire.Task, err error) {
	in.Title = text.Fold(in.Title)
	in.Objective = cmp.Or(strings.TrimSpace(in.Objective), in.Title)
	if err := checkTask(in); err != nil {
		return out, err
	}
	if in.Agent != "" {
		if _, _, err := s.agentOf(in.Agent); err != nil {
			return out, err
		}
	}
	t, err := s.createTask(c, in)
	if err != nil {
		return out, err
	}
	if in.Start {
		return s.taskStart(c, wire.TaskStartRequest{Key: in.Key, ID: string(t.Slug)})
	}
	return s.wireTask(t.Slug), nil
}

// createTask records a task under a name that is free, and makes its folder. A second call with the
// same key returns the task of the first.
func (s *Server) createTask(c *door.Call, in wire.TaskNewRequest) (task.Task, error) {
	s.creating.Lock()
	defer s.creating.Unlock()
	slug := task.NewSlug(in.Title, func(slug task.Slug) bool {
		_, known := s.cfg.Core.Task(slug)
		return known || s.cfg.Tasks.Exists(slug)
	})
	t, err := s.cfg.Core.NewTask(task.Task{
		Slug: slug, Key: in.Key, Agent: in.Agent, By: c.Decider(), Confirm: in.Confirm,
	})
	if err != nil || s.cfg.Tasks.Exists(t.Slug) {
		return t, err
	}
	return t, s.cfg.Tasks.Make(t.Slug, in.Title, in.Objective, time.Now())
}

func checkTask(in wire.TaskNewRequest) error {
	switch {
	case in.Key == "":
		return door.BadRequest("a task needs a key of its own")
	case in.Title == "", !utf8.ValidString(in.Title + in.Objective):
		return door.BadRequest("a task needs a title, and its texts must be UTF-8")
	case utf8.RuneCountInString(in.Title) > maxTitle:
		return door.BadRequest("a title has at most %d characters, not %d; write the rest into the objective",
			maxTitle, utf8.RuneCountInString(in.Title))
	case len(in.Objective) > maxObjective:
		return door.BadRequest("an objective has at most %d bytes, not %d", maxObjective, len(in.Objective))
	}
	return nil
}

// taskStart lets a run work on a task. A folder that no person has made a task becomes one.
func (s *Server) taskStart(c *door.Call, in wire.TaskStartRequest) (out wire.Task, err error) {
	if err := s.checkSupported(); err != nil {
		return out, err
	}
	slug, err := s.taskNamed(in.ID)
	if err != nil {
		return out, err
	}
	t, err := s.taskOf(slug, c)
	if err != nil {
		return out, err
	}
	state, err := s.launch(t)
	if err != nil {
		return out, err
	}
	first, next := task.Prompts(state)
	r, err := s.newTaskRun(t, in.Key, c.Decider(), first)
	if err != nil {
		return out, err
	}
	start := core.Start{Run: r, First: taskText(c, in.Key, first), Next: taskText(c, in.Key, next)}
	_, err = s.cfg.Core.StartTask(slug, start)
	return s.wireTask(slug), err
}

// taskOf returns what is kept of a task. A folder without that becomes a task of the caller.
func (s *Server) taskOf(slug task.Slug, c *door.Call) (task.Task, error) {
	if t, known := s.cfg.Core.Task(slug); known {
		return t, nil
	}
	return s.cfg.Core.NewTask(task.Task{Slug: slug, By: c.Decider()})
}

// launch prepares the folder of a task for a start, and returns what state.md says then.
func (s *Server) launch(t task.Task) (task.State, error) {
	slug := t.Slug
	state, err := s.cfg.Tasks.Launch(t)
	switch {
	case errors.Is(err, task.ErrOver):
		err = door.BadRequest("the task is %s; afar task reopen %s", state.StatusText, slug)
	case errors.Is(err, task.ErrStatus):
		err = door.BadRequest("unknown status %.60q in state.md; want one of %q", state.StatusText, task.Statuses())
	case errors.Is(err, task.ErrObjective):
		err = door.BadRequest("state.md has no objective; write one below \"## Objective\" in %s", s.cfg.Tasks.Dir(slug))
	}
	return state, err
}

// RunOfTask returns the run with which the work on a task begins.
func (s *Server) RunOfTask(t task.Task) (run.Run, error) {
	return s.newTaskRun(t, rand.Text(), t.By, string(t.Slug))
}

func (s *Server) newTaskRun(t task.Task, key, by, prompt string) (run.Run, error) {
	r, err := s.newRun(context.Background(), by, wire.RunStartRequest{
		ID: key, Agent: t.Agent, Mode: t.Mode, Model: t.Model, Dir: s.cfg.Tasks.Dir(t.Slug), Prompt: prompt,
	}, "")
	if state, err := s.cfg.Tasks.State(t.Slug); err == nil {
		r.About = about(state.Title)
	}
	return r, err
}

func taskText(c *door.Call, key, text string) message.Message {
	return message.Message{Key: "task:" + key, Text: text, By: c.Decider(), Channel: c.Channel()}
}

func (s *Server) taskStop(c *door.Call, slug task.Slug) (out wire.Task, err error) {
	if _, err := s.taskOf(slug, c); err != nil {
		return out, err
	}
	_, err = s.cfg.Core.StopTask(slug, c.Decider())
	return s.wireTask(slug), err
}

// taskSet writes a status into state.md. A task that a run works on must be stopped first.
func (s *Server) taskSet(c *door.Call, in wire.TaskSetRequest) (out wire.Task, err error) {
	slug, err := s.taskNamed(in.ID)
	if err != nil {
		return out, err
	}
	status := task.Status(in.Status)
	if !slices.Contains(task.Statuses(), status) {
		return out, door.BadRequest("unknown status %.40q; want one of %q", in.Status, task.Statuses())
	}
	if !status.Over() { // reopening a task lets work begin
		if err := c.AllowStanding(); err != nil {
			return out, err
		}
	}
	t, err := s.taskOf(slug, c)
	if err != nil {
		return out, err
	}
	if r, ok := s.cfg.Core.TaskRun(t); ok && !r.Settled() {
		return out, door.BadRequest("run %s works on the task; afar task stop %s", r.Name, slug)
	}
	if err := s.cfg.Tasks.SetStatus(slug, status); err != nil {
		return out, err
	}
	err = s.cfg.Core.NoteTask(slug, c.Decider()+" set the status "+in.Status)
	return s.wireTask(slug), err
}

// wireTask returns what is known of a task, also if its state.md cannot be read.
func (s *Server) wireTask(slug task.Slug) wire.Task {
	state, err := s.cfg.Tasks.State(slug)
	if err != nil {
		return s.unreadableTask(slug, err)
	}
	t, known := s.cfg.Core.Task(slug)
	w := wire.Task{
		ID:         string(slug),
		Title:      cmp.Or(state.Title, string(slug)),
		Objective:  state.Objective,
		Status:     cmp.Or(string(state.Status), state.StatusText),
		Known:      state.Status != task.Unknown,
		LastAction: wire.Millis(state.LastAction),
		WaitingFor: state.Wait.First(),
		NextAction: wire.Millis(state.Wait.Due.From),
		NextWords:  state.Wait.Due.Words,
		Dir:        s.cfg.Tasks.Dir(slug),
		Agent:      t.Agent,
		Stopped:    t.Stopped,
		Ask:        t.Asked.Ask,
		Confirm:    t.Confirm,
		Proposed:   !known,
		By:         t.By,
		CreatedAt:  wire.Millis(t.CreatedAt),
	}
	w.Warning = state.Long()
	for _, fault := range state.Faults {
		w.Faults = append(w.Faults, fault.Error())
	}
	if r, ok := s.cfg.Core.TaskRun(t); ok {
		w.Run, w.RunState = r.Name, string(r.State)
	}
	return w
}
