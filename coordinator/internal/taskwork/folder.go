// Package taskwork reads and writes the folders of tasks, and looks at a task after each
// turn of its run.
package taskwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// Folders are the folders of all tasks, below one directory.
type Folders struct {
	dir string
	loc *time.Location // of the dates in the files
}

// NewFolders returns the folders below dir.
func NewFolders(dir string, loc *time.Location) Folders { return Folders{dir: dir, loc: loc} }

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
	if err := os.MkdirAll(filepath.Join(dir, "artifacts"), 0o700); err != nil {
		return fmt.Errorf("make the folder of task %s: %w", slug, err)
	}
	return atomicfile.Write(filepath.Join(dir, stateFile), task.NewState(title, objective, today))
}

// The files of a task.
const (
	stateFile = "state.md"
	maxFile   = 1<<20 + 1 // one byte more than a state.md may have
)

// State reads what the state.md of a task says now. Without the file it is empty, with a
// fault.
func (f Folders) State(slug task.Slug) (task.State, error) {
	if info, err := os.Lstat(f.Dir(slug)); err == nil && !info.IsDir() {
		return task.State{}, fmt.Errorf("%s: want a directory", f.Dir(slug)) // a link may lead anywhere
	}
	raw, err := disk.Head(filepath.Join(f.Dir(slug), stateFile), maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return task.State{}, err
	}
	return task.ParseState(string(raw), f.loc), nil
}

// SetStatus writes another status into the state.md of a task.
func (f Folders) SetStatus(slug task.Slug, status task.Status) error {
	s, err := f.State(slug)
	if err != nil {
		return err
	}
	return f.write(slug, stateFile, s.WithStatus(status))
}

// Launch prepares a folder for a start: what the task waited for is over, and the agent's
// instructions are written anew. It returns what state.md says then.
func (f Folders) Launch(slug task.Slug) (task.State, error) {
	before, err := f.State(slug)
	if err != nil {
		return before, err
	}
	s := task.ParseState(before.WithoutWait(), f.loc)
	if s.Status == task.Waiting {
		s = task.ParseState(s.WithStatus(task.InProgress), f.loc)
	}
	if s.Text != before.Text {
		err = f.write(slug, stateFile, s.Text)
	}
	text := task.Instructions(s)
	return s, errors.Join(err, f.write(slug, "CLAUDE.md", text), f.write(slug, "AGENTS.md", text))
}

func (f Folders) write(slug task.Slug, name, text string) error {
	return atomicfile.Write(filepath.Join(f.Dir(slug), name), text)
}
