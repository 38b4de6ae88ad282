// Package marks carries out what a person asked for while no coordinator answered.
// Such a request is left as a file, a mark, in a directory of the home.
package marks

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
	"github.com/afar-sh/afar/coordinator/internal/loop"
)

// maxMark bounds what is read of a mark: a session's token or id.
const maxMark = 1 << 10

// A Taker takes the marks of one home.
type Taker struct {
	core *core.Core
	dirs home.Dirs
	log  *slog.Logger

	mu    sync.Mutex // held by Take; guards empty
	empty time.Time  // when the directory changed last, if it was found empty then
}

// New returns the taker of a home's marks.
func New(c *core.Core, dirs home.Dirs, log *slog.Logger) *Taker {
	return &Taker{core: c, dirs: dirs, log: log}
}

// Run carries out marks as they come, until ctx ends. A mark that is left while
// this process hangs is seen when it goes on.
func (t *Taker) Run(ctx context.Context) {
	if err := disk.Watch(ctx, t.dirs.Marks(), t.Take); err != nil {
		t.log.Error("watch marks", "err", err)
	}
}

// Take carries out the marks that are there. The server calls it before each call,
// so that nothing overtakes a mark. A mark is removed when what it asks for is
// committed.
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

// coarse is longer than the step of any file system's clock, of which FAT's two
// seconds are the longest: what changed less long ago may change again and show the
// same time.
const coarse = 3 * time.Second

// entries reads the directory of the marks, unless it is as it was when it was
// found empty: every hook waits for this.
func (t *Taker) entries() []fs.DirEntry {
	dir := t.dirs.Marks()
	info, err := os.Stat(dir)
	if err == nil && info.ModTime().Equal(t.empty) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.log.Error("look for marks", "err", err)
	}
	if t.empty = (time.Time{}); err == nil && len(entries) == 0 && info != nil && time.Since(info.ModTime()) > coarse {
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
		return err // half written, or left by another program
	}
	if err := t.cancel(string(raw)); err != nil {
		return err
	}
	return os.Remove(path)
}

// takePause pauses, if answers from the terminal count.
func (t *Taker) takePause(path string) error {
	err := t.core.Counts("terminal")
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
		err = t.core.CancelLoop(v.ID, core.ByPerson)
	}
	if errors.Is(err, core.ErrNotFound) || errors.Is(err, loop.ErrNone) {
		return nil
	}
	return err
}
