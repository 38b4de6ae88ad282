package page

import (
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Tasks shows tasks by their status: those that are not archived, or those that are.
type Tasks struct {
	List     []TaskRow
	Archived bool   // these are the archived ones
	Key      string // of the form for a new one, see RunForm
	Tabs     Tabs
	Closed   string // why this page cannot decide for them, "" if it can
	Home     string
}

// A TaskRow is a task as a list shows it.
type TaskRow struct {
	wire.Task
	Asks []wire.Ask // its open questions, oldest first
}

// Task shows one task.
type Task struct {
	Task   wire.Task
	Cards  []Card // its open questions
	Files  wire.TaskFilesReply
	Closed string // why this page cannot decide for it, "" if it can
	Home   string
}

// TaskEdit edits the state.md of a task. It does not change while the person writes.
type TaskEdit struct {
	Task   wire.Task
	Files  wire.TaskFilesReply
	Closed string
	Home   string
}

// The paths of the board and of the tasks that are not on it.
const (
	tasksPath   = "/tasks"
	archivePath = tasksPath + "/archived"
)

func (t Tasks) shape() shape {
	s := shape{
		name:  "tasks",
		title: "Tasks",
		path:  tasksPath,
		entry: tasksPath,
		home:  t.Home,
		parts: []string{"tabs", "new", "board"},
	}
	if t.Archived {
		s.title, s.path = "Archived tasks", archivePath
	}
	return s
}

// Links returns the tabs of the board.
func (t Tasks) Links() []tab { return current(tabsOf(view.Tasks, t.Tabs), t.shape().path) }

func (t Task) shape() shape {
	return shape{
		name: "task", title: t.Task.Title, path: taskPath(t.Task.ID), entry: tasksPath, home: t.Home,
		parts: []string{"questions", "head", "state", "files"},
	}
}

func (e TaskEdit) shape() shape {
	return shape{
		name:  "edit",
		title: "Edit " + e.Task.Title,
		path:  taskPath(e.Task.ID) + "/edit",
		entry: tasksPath,
		home:  e.Home,
		still: true,
		parts: []string{"edit"},
	}
}

func taskPath(slug string) string { return "/task/" + url(slug) }

// taskFile returns the path of a file of a task.
func taskFile(slug, file string) string { return filePath(taskPath(slug), file) }

// filePath returns the path of a file of what the page at path shows.
func filePath(path, file string) string {
	parts := strings.Split(file, "/")
	for i, part := range parts {
		parts[i] = url(part)
	}
	return path + "/file/" + strings.Join(parts, "/")
}

// Text returns the file with the line endings of a form.
func (e TaskEdit) Text() string { return unixLines(e.Files.Text) }

// Text returns the file with the line endings of a page.
func (t Task) Text() string { return unixLines(t.Files.Text) }

func unixLines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// Back returns the path of the task.
func (e TaskEdit) Back() string { return taskPath(e.Task.ID) }

// A lane is a column of the board.
type lane struct {
	Name  string
	Tasks []TaskRow
}

// lanes are the columns of the board, in their order, with the status of their tasks.
var lanes = []struct{ name, status string }{
	{"Proposed", proposed}, {"In progress", "IN PROGRESS"}, {"Waiting", "WAITING"}, {"Blocked", "BLOCKED"},
	{"Done", "COMPLETED"}, {"Archived", "ARCHIVED"}, {"Unknown status", other},
}

// proposed and other are the columns of tasks whose status does not count.
const proposed, other = "proposed", "other"

// laneOf returns the status whose column a task is in.
func laneOf(t wire.Task) string {
	for _, l := range lanes {
		if l.status == t.Status && !t.Proposed {
			return l.status
		}
	}
	if t.Proposed {
		return proposed
	}
	return other
}

// Lanes returns the columns that have tasks.
func (t Tasks) Lanes() (out []lane) {
	for _, l := range lanes {
		column := lane{Name: l.name}
		for _, row := range t.List {
			if laneOf(row.Task) == l.status {
				column.Tasks = append(column.Tasks, row)
			}
		}
		if len(column.Tasks) > 0 {
			out = append(out, column)
		}
	}
	return out
}

// First reports whether the person has no task yet and could make one here.
func (t Tasks) First() bool { return len(t.List) == 0 && !t.Archived && t.Closed == "" }

// Waits says what a task waits for, "" for nothing.
func (t TaskRow) Waits() string {
	if len(t.Asks) > 0 {
		return t.Asks[0].Request
	}
	return t.WaitingFor
}

// Path returns the path of a task's page.
func (t TaskRow) Path() string { return taskPath(t.ID) }

// RunMood is the state of the run that works on a task, "" while none does.
func (t TaskRow) RunMood() string {
	if wording.TaskBusy(t.Task) {
		return t.RunState
	}
	return ""
}

// Row returns the task. Its own page shows all of state.md.
func (t Task) Row() shown {
	thing := view.Task(t.Task)
	thing.Texts = nil
	return shown{Thing: thing, Noun: view.Tasks, Closed: t.Closed, Alone: true}
}

// Reads says what the task makes of a text.
func (t Task) Reads() string {
	switch {
	case wording.TaskBusy(t.Task):
		return "Its agent reads this at its next step, or in its next turn"
	case t.Task.Stopped, t.Task.Status == "ARCHIVED", t.Task.Status == "COMPLETED", !t.Task.Known:
		return "It reads this when you start it again"
	}
	return "It goes on with this"
}

// size says how large a file is.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return text.Count(int(bytes), "byte")
	case bytes < 1<<20:
		return strconv.FormatInt(bytes>>10, 10) + " kB"
	}
	return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) + " MB"
}

// isKept reports whether a file was kept beside state.md.
func isKept(path string) bool { return !strings.Contains(path, "/") }
