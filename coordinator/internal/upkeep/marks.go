package upkeep

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/loop"
)

// maxMark bounds what is read of a mark: a session's token or id.
const maxMark = 1 << 10

// A Taker carries out what a person asked for while no coordinator answered. Such a request is left
// as a file, a mark, in a directory of the home.
type Taker struct {
	core *feature.Core
	dirs home.Dirs
	log  *slog.Logger

	mu    sync.Mutex // held by Take; guards empty
	empty time.Time  // the directory's time of change when it was found empty; zero if it was not
}

// NewTaker returns the taker of a home's marks.
func NewTaker(c *feature.Core, dirs home.Dirs, log *slog.Logger) *Taker {
	return &Taker{core: c, dirs: dirs, log: log}
}

// Run carries out marks as they come, until ctx ends.
func (t *Taker) Run(ctx context.Context) {
	if err := disk.Watch(ctx, t.dirs.Marks(), t.Take); err != nil {
		t.log.Error("watch marks", "err", err)
	}
}

// Take carries out all marks. The server calls it before each call, so that no call is
// handled before an older mark. A mark is removed when its effect is committed.
func (t *Taker) Take() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries() {
		if strings.HasPrefix(e.Name(), ".") {
			continue // it is being written
		}
		path := filepath.Join(t.dirs.Marks(), e.Name())
		if err := t.takeOne(path); err != nil {
			t.log.Error("carry out a mark", "mark", path, "err", err)
		}
	}
}

// coarse is longer than the step of any file system's clock; that of FAT is two seconds.
// A directory that changed more recently may change again and keep the same time.
const coarse = 3 * time.Second

// entries reads the directory of the marks. It skips that if the directory has not
// changed since it was found empty, because every hook waits for this.
func (t *Taker) entries() []fs.DirEntry {
	dir := t.dirs.Marks()
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		t.log.Error("look for marks", "err", err)
		return nil
	case info.ModTime().Equal(t.empty):
		return nil
	}
	t.empty = time.Time{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.log.Error("look for marks", "err", err)
		return entries
	}
	if len(entries) == 0 && time.Since(info.ModTime()) > coarse {
		t.empty = info.ModTime()
	}
	return entries
}

func (t *Taker) takeOne(path string) error {
	if path == t.dirs.PauseMark() {
		return t.takePause(path)
	}
	raw, err := disk.Head(path, maxMark)
	if err != nil || path != t.dirs.CancelMark(string(raw)) {
		return err // incomplete, or written by another program
	}
	if err := t.cancel(string(raw)); err != nil {
		return err
	}
	return os.Remove(path)
}

// takePause pauses, if answers from the terminal count.
func (t *Taker) takePause(path string) error {
	err := t.core.Counts(core.Terminal)
	if err == nil {
		err = t.core.Pause(true)
	} else {
		err = t.core.Note(event.Refused, "", "pause",
			"a pause was asked for at the terminal while the coordinator did not answer: "+err.Error())
	}
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// cancel ends the loop of a session, if there is one.
func (t *Taker) cancel(name string) error {
	v, err := t.core.Session(name)
	if err == nil {
		err = t.core.CancelLoop(v.ID, "the person at the terminal", core.Terminal)
	}
	if errors.Is(err, core.ErrNotFound) || errors.Is(err, loop.ErrNone) {
		return nil
	}
	return err
}
