package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// archived is the status of a task that has no place on the board.
const archived = "ARCHIVED"

// tasks shows the tasks that are not archived.
func (c *Channel) tasks(q *query) (page.View, error) {
	return c.board(q, func(r page.TaskRow) bool { return r.Status == archived })
}

// archivedTasks shows the tasks that are archived.
func (c *Channel) archivedTasks(q *query) (page.View, error) {
	v, err := c.board(q, func(r page.TaskRow) bool { return r.Status != archived })
	v.Archived = true
	return v, err
}

// board shows the tasks, without those that another page shows.
func (c *Channel) board(q *query, elsewhere func(page.TaskRow) bool) (page.Tasks, error) {
	rows, err := q.tasks()
	rows = on(q, rows, func(r page.TaskRow) wire.Origin { return r.Origin })
	tabs := q.tabs()
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.DeleteFunc(rows, elsewhere)
	return page.Tasks{List: list, Key: c.startKey, Tabs: tabs, Closed: c.closed(), Home: c.cfg.Home}, err
}

// closed says why the page cannot decide, "" if it can.
func (c *Channel) closed() string {
	if err := c.cfg.Core.Counts(Name); err != nil {
		return err.Error()
	}
	return ""
}

// tasks returns all tasks with their open questions.
func (s *shared) tasks() (rows []page.TaskRow, err error) {
	list, err := read(s.reader, wire.OpTasks, wire.None{})
	if err != nil {
		return nil, err
	}
	status, err := s.status()
	for _, t := range list.Tasks {
		rows = append(rows, page.TaskRow{Task: t, Asks: asksOf(t, status)})
	}
	return rows, err
}

// asksOf returns the questions of a task and of its run that wait.
func asksOf(t wire.Task, status wire.StatusReply) (asks []wire.Ask) {
	for _, a := range status.Asks {
		byRun := a.Run != "" && a.Run == t.Run
		if waits(a) && (byRun || a.Task == t.ID) {
			asks = append(asks, a)
		}
	}
	return asks
}

// task shows one task.
func (c *Channel) task(q *query) (page.View, error) {
	t, files, err := taskOf(q)
	if err != nil {
		return nil, err
	}
	status, err := q.status()
	v := page.Task{Task: t, Cards: cardsOf(asksOf(t, status)), Files: files, Closed: c.closedOn(t.Origin), Home: c.cfg.Home}
	return v, err
}

// editTask shows the form for the state.md of a task.
func (c *Channel) editTask(q *query) (page.View, error) {
	t, files, err := taskOf(q)
	if err != nil {
		return nil, err
	}
	return page.TaskEdit{Task: t, Files: files, Closed: c.closedOn(t.Origin), Home: c.cfg.Home}, nil
}

// taskOf returns the task that a query names, with its files.
func taskOf(q *query) (t wire.Task, files wire.TaskFilesReply, err error) {
	in := wire.Named{ID: q.PathValue("id")}
	if t, err = read(q.reader, wire.OpTask, in); err != nil {
		return t, files, err
	}
	if files, err = read(q.reader, wire.OpTaskFiles, in); t.AwayAt != 0 {
		err = nil
	}
	return t, files, err
}

func taskPath(slug string) string { return "/task/" + url.PathEscape(slug) }

// newTaskForm creates a task, and leads to its page.
func newTaskForm(d *decision) (string, error) {
	in := wire.TaskNewRequest{
		Key:       d.key(),
		Title:     d.PostForm.Get("title"),
		Objective: d.PostForm.Get("objective"),
		Confirm:   d.PostForm.Get("confirm") != "",
		Start:     d.PostForm.Get("start") != "",
	}
	t, err := decide(d, wire.OpTaskNew, in)
	if err != nil {
		return "", err
	}
	d.page.renewKey()
	d.PostForm.Set("back", taskPath(t.ID))
	return wording.TaskMade(t), nil
}

// sendTaskForm sends a text to a task.
func sendTaskForm(d *decision) (string, error) { return d.send(wire.ToTask + d.PathValue("slug")) }

// editTaskForm saves the state.md of a task. Where the file has changed meanwhile, both texts
// are kept.
func editTaskForm(d *decision) (string, error) {
	in := wire.TaskEditRequest{ID: d.PathValue("slug"), Base: d.PostForm.Get("base"), Text: d.PostForm.Get("text")}
	out, err := decide(d, wire.OpTaskEdit, in)
	if err != nil {
		return "", err
	}
	d.PostForm.Set("back", taskPath(out.Task.ID))
	if out.Kept != "" {
		return "state.md has changed while you wrote, so it was left as it is. " +
			"Your text is kept beside it, in " + out.Kept + ".", nil
	}
	return strings.TrimSpace("state.md is saved. " + faultsOf(out.Task)), nil
}

// faultsOf says what cannot be read in the state.md of a task, "" for nothing.
func faultsOf(t wire.Task) string {
	if len(t.Faults) == 0 {
		return ""
	}
	return "It says something that cannot be read: " + t.Faults[0] + "."
}
