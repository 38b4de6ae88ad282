// Package taskwork reads and writes the folders of tasks, and looks at a task after each
// turn of its run.
package taskwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// Folders are the folders of all tasks, below one directory.
type Folders struct {
	dir     string
	marks   string         // see home.Dirs.Confirms
	loc     *time.Location // of the dates in the files
	writing *sync.Mutex    // held from the reading of a file to the writing of what follows from it
	about   func(task.State) task.About
}

// NewFolders returns the folders below dir. In marks lie the marks that the guard looks for.
func NewFolders(dir, marks string, loc *time.Location) Folders {
	return Folders{dir: dir, marks: marks, loc: loc, writing: new(sync.Mutex)}
}

// Told returns the folders with what the runs of tasks are told besides their tasks.
func (f Folders) Told(about func(task.State) task.About) Folders {
	f.about = about
	return f
}

// Dir returns the folder of a task.
func (f Folders) Dir(slug task.Slug) string { return filepath.Join(f.dir, string(slug)) }

// List returns the names of all folders that can be tasks, in order.
func (f Folders) List() ([]task.Slug, error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []task.Slug
	for _, e := range entries {
		if e.IsDir() && task.CheckSlug(e.Name()) == nil {
			all = append(all, task.Slug(e.Name()))
		}
	}
	return all, err
}

// Exists reports whether a task has a folder.
func (f Folders) Exists(slug task.Slug) bool {
	_, err := os.Lstat(f.Dir(slug))
	return err == nil
}

// Make makes the folder of a new task.
func (f Folders) Make(slug task.Slug, title, objective string, today time.Time) error {
	dir := f.Dir(slug)
	if err := os.MkdirAll(filepath.Join(dir, artifacts), 0o700); err != nil {
		return fmt.Errorf("make the folder of task %s: %w", slug, err)
	}
	return atomicfile.Write(filepath.Join(dir, stateFile), task.NewState(title, objective, today))
}

// stateFile says what a task is and how far it is.
const stateFile = "state.md"

// State reads what the state.md of a task says now. Without the file it is empty, with a
// fault.
func (f Folders) State(slug task.Slug) (task.State, error) {
	if err := f.checkDir(slug); err != nil {
		return task.State{}, err
	}
	raw, err := disk.Head(filepath.Join(f.Dir(slug), stateFile), task.MaxState)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return task.State{}, err
	}
	return task.ParseState(string(raw), f.loc), nil
}

// Held says when a task gets a text that waits for it although nothing works on it, see
// task.State.Held.
func (f Folders) Held(slug task.Slug) string {
	s, err := f.State(slug)
	if err != nil {
		return "when its state.md can be read"
	}
	return s.Held()
}

// checkDir returns an error if the folder of a task is something else, such as a link: that may
// lead anywhere.
func (f Folders) checkDir(slug task.Slug) error {
	if info, err := os.Lstat(f.Dir(slug)); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: want a directory", f.Dir(slug))
	}
	return nil
}

// SetStatus writes another status into the state.md of a task.
func (f Folders) SetStatus(slug task.Slug, status task.Status) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	return f.rewrite(slug, func(s task.State) (string, error) { return s.WithStatus(status), nil })
}

// rewrite replaces the state.md of a task with the result of change.
func (f Folders) rewrite(slug task.Slug, change func(task.State) (string, error)) error {
	read := func() (string, error) {
		s, err := f.State(slug)
		return s.Text, err
	}
	parsed := func(text string) (string, error) { return change(task.ParseState(text, f.loc)) }
	return rewrite(read, parsed, func(text string) error { return f.write(slug, stateFile, text) })
}

// Launch prepares a folder for a start: what the task waited for is over, and the agent's
// instructions are written anew. It returns what state.md says then, or the error of
// State.CanStart.
func (f Folders) Launch(t task.Task) (task.State, error) {
	f.writing.Lock()
	defer f.writing.Unlock()
	var s task.State
	err := f.rewrite(t.Slug, func(before task.State) (string, error) {
		if s = before; s.CanStart() != nil {
			return "", s.CanStart()
		}
		s = f.withoutWait(before)
		return s.Text, nil
	})
	if err != nil {
		return s, err
	}
	var about task.About
	if f.about != nil {
		about = f.about(s)
	}
	about.Confirm = t.Confirm
	text := task.Instructions(s, about)
	return s, errors.Join(f.mark(t), f.write(t.Slug, "CLAUDE.md", text), f.write(t.Slug, "AGENTS.md", text))
}

// withoutWait returns a state.md after what the task waited for is over.
func (f Folders) withoutWait(s task.State) task.State {
	s = task.ParseState(s.WithoutWait(), f.loc)
	if s.Status == task.Waiting || s.Status == task.Blocked {
		s = task.ParseState(s.WithStatus(task.InProgress), f.loc)
	}
	return s
}

// mark tells the guard whether it asks about each outward act of a task.
func (f Folders) mark(t task.Task) error {
	path := filepath.Join(f.marks, string(t.Slug))
	if t.Confirm {
		if err := os.MkdirAll(f.marks, 0o700); err != nil {
			return err
		}
		return atomicfile.Write(path, "")
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f Folders) write(slug task.Slug, name, text string) error {
	return atomicfile.Write(filepath.Join(f.Dir(slug), name), text)
}
