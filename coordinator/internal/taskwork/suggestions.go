package taskwork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// Suggestions are the files of suggestions in one folder. Its methods may be called from any
// goroutine.
type Suggestions struct {
	dir string
	mu  sync.Mutex // held while a file is read and written
}

// NewSuggestions returns the suggestions in dir.
func NewSuggestions(dir string) *Suggestions { return &Suggestions{dir: dir} }

// All returns the suggestions of the folder. One that cannot be read is task.Unreadable.
func (s *Suggestions) All() (map[task.Slug]task.Suggestion, error) {
	entries, err := os.ReadDir(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	all := map[task.Slug]task.Suggestion{}
	for _, e := range entries {
		name, isMarkdown := strings.CutSuffix(e.Name(), ".md")
		if !isMarkdown || task.CheckSlug(name) != nil {
			continue
		}
		one, err := s.Get(task.Slug(name))
		switch {
		case errors.Is(err, core.ErrNotFound):
			continue // it has just been removed
		case err != nil:
			one = task.UnreadableSuggestion(err)
		}
		all[task.Slug(name)] = one
	}
	return all, nil
}

// Get returns one suggestion.
func (s *Suggestions) Get(name task.Slug) (task.Suggestion, error) {
	raw, err := disk.Head(s.path(name), task.MaxState)
	if errors.Is(err, fs.ErrNotExist) {
		return task.Suggestion{}, fmt.Errorf("suggestion %q: %w", name, core.ErrNotFound)
	}
	return task.ParseSuggestion(string(raw)), err
}

func (s *Suggestions) path(name task.Slug) string { return filepath.Join(s.dir, string(name)+".md") }

// Add writes a new suggestion, unless the same one is there already or too many are open. It
// returns where it went, and the name of the one that is new or the same.
func (s *Suggestions) Add(in task.Suggestion) (task.Place, task.Slug, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.All()
	if err != nil {
		return "", "", err
	}
	place, name := in.Find(all)
	if place != task.Added {
		return place, name, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", "", err
	}
	return place, name, atomicfile.Write(s.path(name), in.File())
}

// Set records in the file what the person decided, and the task that was made.
func (s *Suggestions) Set(name task.Slug, status task.SuggestionStatus, made task.Slug) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := func() (string, error) {
		one, err := s.Get(name)
		return one.Text, err
	}
	decide := func(text string) (string, error) {
		one := task.ParseSuggestion(text)
		if one.Status == status && one.Task == made {
			return text, nil
		}
		return one.WithStatus(status, made), nil
	}
	return rewrite(read, decide, func(text string) error { return atomicfile.Write(s.path(name), text) })
}

// A Notebook is one file of the workspace that grows: gaps.md or inbox.md. Its methods may be
// called from any goroutine.
type Notebook struct {
	path string
	mu   sync.Mutex // held while the file is read and written
}

// NewNotebook returns the file at path, which need not exist.
func NewNotebook(path string) *Notebook { return &Notebook{path: path} }

// maxNotebook is the largest file that is read, in bytes.
const maxNotebook = 16 << 20

// Read returns the text of the file, "" without one.
func (n *Notebook) Read() (string, error) {
	raw, err := disk.Head(n.path, maxNotebook)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(raw), err
}

// Edit replaces the text of the file with the result of change, see rewrite.
func (n *Notebook) Edit(change func(string) string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := func(text string) (string, error) { return change(text), nil }
	return rewrite(n.Read, changed, func(text string) error {
		if err := os.MkdirAll(filepath.Dir(n.path), 0o700); err != nil {
			return err
		}
		return atomicfile.Write(n.path, text)
	})
}
