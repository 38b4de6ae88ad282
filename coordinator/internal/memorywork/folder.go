// Package memorywork reads and writes the files of memory, and keeps the search index up to
// date with them.
package memorywork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/memory"
)

// A folder is the directory memory/ of a workspace.
type folder struct {
	dir  string
	read *readings
}

func newFolder(dir string) folder { return folder{dir, &readings{of: map[string]reading{}}} }

const (
	ending    = ".md"
	indexFile = "INDEX.md"
)

func (f folder) archive() string { return filepath.Join(f.dir, "archive") }
func (f folder) journal() string { return filepath.Join(f.dir, "journal") }

func (f folder) path(name memory.Name) string { return filepath.Join(f.dir, string(name)+ending) }

func (f folder) pathIn(archived bool, name memory.Name) string {
	if archived {
		return filepath.Join(f.archive(), string(name)+ending)
	}
	return f.path(name)
}

// holds reports whether the file of a fact is there with this text.
func (f folder) holds(name memory.Name, text string) bool {
	raw, err := disk.Head(f.path(name), memory.MaxFact)
	return err == nil && string(raw) == text
}

func (f folder) make() error {
	for _, dir := range []string{f.archive(), f.journal()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the folder of memory: %w", err)
		}
	}
	return nil
}

// files returns the names of the facts in a directory, without their ending.
func files(dir string) (names []memory.Name, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ending)
		if ok && e.Type().IsRegular() && memory.CheckName(name) == nil {
			names = append(names, memory.Name(name))
		}
	}
	return names, err
}

// read returns the text of a file of at most most bytes, "" if it is not there.
func read(path string, most int64) (string, error) {
	raw, err := disk.Head(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(raw), err
}

// facts reads all facts in a directory.
func (f folder) facts(dir string) (facts []memory.Fact, broken []memory.Broken, err error) {
	names, err := files(dir)
	for _, name := range names {
		fact, err := f.fact(dir, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			broken = append(broken, memory.Broken{Name: name, Err: err})
		default:
			facts = append(facts, fact)
		}
	}
	return facts, broken, err
}

// fact reads one fact.
func (f folder) fact(dir string, name memory.Name) (memory.Fact, error) {
	return f.read.fact(filepath.Join(dir, string(name)+ending), name)
}

func (f folder) write(name memory.Name, text string) error {
	if err := f.make(); err != nil {
		return err
	}
	return atomicfile.Write(f.path(name), text)
}

// putAway moves a fact to the archive. One there with the same name is kept beside it.
func (f folder) putAway(name memory.Name) error {
	if err := f.make(); err != nil {
		return err
	}
	to := memory.FreeName(string(name), func(n memory.Name) bool {
		_, err := os.Lstat(filepath.Join(f.archive(), string(n)+ending))
		return err == nil
	})
	return os.Rename(f.path(name), filepath.Join(f.archive(), string(to)+ending))
}

// writeIndex writes INDEX.md, if it says anything else.
func (f folder) writeIndex(facts []memory.Fact, broken []memory.Broken) error {
	path, text := filepath.Join(f.dir, indexFile), memory.Index(facts, broken)
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return nil
	}
	if _, err := os.Lstat(f.dir); errors.Is(err, fs.ErrNotExist) && len(facts) == 0 {
		return nil
	}
	return atomicfile.Write(path, text)
}

// dates returns the days that have a journal, the newest first.
func (f folder) dates() (dates []string, err error) {
	names, err := files(f.journal())
	for _, name := range names {
		if memory.CheckDate(string(name)) == nil {
			dates = append(dates, string(name))
		}
	}
	slices.Sort(dates)
	slices.Reverse(dates)
	return dates, err
}

func (f folder) day(date string) (memory.Day, error) {
	text, err := read(filepath.Join(f.journal(), date+ending), memory.MaxDay)
	return memory.ParseDay(date, text), err
}

// note adds an entry to the journal of a day.
func (f folder) note(e memory.Entry, at time.Time) error {
	date := at.Format(time.DateOnly)
	day, err := f.day(date)
	if err != nil {
		return err
	}
	if err := f.make(); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(f.journal(), date+ending), day.With(e, at))
}
