package coordinator

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
)

// maxMark bounds what is read of a mark: a session's token or id.
const maxMark = 1 << 10

// watchMarks carries out marks as they come, until ctx ends. One that lies there
// while we hang is seen when we wake.
func (c *Coordinator) watchMarks(ctx context.Context) {
	if err := disk.Watch(ctx, c.cfg.Dirs.Marks(), c.takeMarks); err != nil {
		c.cfg.Log.Error("watch marks", "err", err)
	}
}

// takeMarks carries out what was asked for while nobody answered. The server
// calls it before each call, so that nothing overtakes a mark. A mark is removed
// when what it asks for is committed.
func (c *Coordinator) takeMarks() {
	c.marks.Lock()
	defer c.marks.Unlock()
	for _, e := range c.markEntries() {
		if strings.HasPrefix(e.Name(), ".") {
			continue // it is being written
		}
		path := filepath.Join(c.cfg.Dirs.Marks(), e.Name())
		if err := c.takeMark(path); err != nil {
			c.cfg.Log.Error("carry out a mark", "mark", path, "err", err)
		}
	}
}

// coarse is longer than the step of any file system's clock, of which FAT's two
// seconds are the longest: what changed less long ago may change again and show the
// same time.
const coarse = 3 * time.Second

// markEntries reads the directory of the marks, unless it is as it was when it was
// found empty: every hook waits for this.
func (c *Coordinator) markEntries() []fs.DirEntry {
	dir := c.cfg.Dirs.Marks()
	info, err := os.Stat(dir)
	if err == nil && info.ModTime().Equal(c.noMarks) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.cfg.Log.Error("look for marks", "err", err)
	}
	if c.noMarks = (time.Time{}); err == nil && len(entries) == 0 && info != nil && time.Since(info.ModTime()) > coarse {
		c.noMarks = info.ModTime()
	}
	return entries
}

func (c *Coordinator) takeMark(path string) error {
	dirs := c.cfg.Dirs
	if path == dirs.PauseMark() {
		return c.takePause(path)
	}
	raw, err := disk.Head(path, maxMark)
	if err != nil || path != dirs.CancelMark(string(raw)) {
		return err // half of one that is being written, or none of ours
	}
	if err := c.cancelMarked(string(raw)); err != nil {
		return err
	}
	return os.Remove(path)
}

// takePause sets the pause that a mark asks for, where answers from the terminal
// count.
func (c *Coordinator) takePause(path string) error {
	err := c.core.Counts("terminal")
	if err == nil {
		err = c.core.Pause(true)
	} else {
		err = c.core.Note(event.Refused, "", "pause", "a pause was asked for at the terminal while the coordinator did not answer: "+err.Error())
	}
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// cancelMarked ends the loop of a session. One that is not there needs no end.
func (c *Coordinator) cancelMarked(name string) error {
	v, err := c.core.Session(name)
	if err == nil {
		err = c.core.CancelLoop(v.ID, core.ByPerson)
	}
	if errors.Is(err, core.ErrNotFound) || errors.Is(err, loop.ErrNone) {
		return nil
	}
	return err
}
