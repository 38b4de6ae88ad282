package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// presentEvery is how often a coordinator checks that its home is still there.
// Two checks in a row must agree before it ends.
const presentEvery = 10 * time.Second

// A possession is a file that this coordinator made or opened. It ends when the
// file is gone, or when another file has taken its place.
type possession struct {
	what, path string
	info       fs.FileInfo // nil: any file at path will do
}

// possess notes what the coordinator holds. It is called when all of it is open.
func (c *Coordinator) possess() error {
	d := c.cfg.Dirs
	c.holds = []possession{
		{what: "lock file", path: d.LifeLock()}, {what: "socket", path: d.Socket()}, {what: "database", path: d.Database()},
	}
	for i, p := range c.holds {
		info, err := os.Lstat(p.path)
		if err != nil {
			return fmt.Errorf("look at the %s: %w", p.what, err)
		}
		c.holds[i].info = info
	}
	if program := home.Program(c.cfg.Bin, "afar"); exists(program) {
		c.holds = append(c.holds, possession{what: "program", path: program})
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lost says what is wrong with p, "" for nothing. A file that cannot be looked
// at for another reason than its absence is not lost.
func (p possession) lost() string {
	now, err := os.Lstat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("its %s is gone: %s", p.what, p.path)
	case err != nil, p.info == nil, os.SameFile(p.info, now):
		return ""
	}
	return fmt.Sprintf("another file has taken the place of its %s: %s", p.what, p.path)
}

// lost says what the coordinator no longer has, "" while all is there.
func (c *Coordinator) lost() string {
	for _, p := range c.holds {
		if why := p.lost(); why != "" {
			return why
		}
	}
	return ""
}

// stayPresent ends the coordinator when its home or its programs are gone:
// nobody can reach it any more, and a successor may serve the same bot. It
// returns then, or when ctx ends.
func (c *Coordinator) stayPresent(ctx context.Context) {
	tick := time.NewTicker(presentEvery)
	defer tick.Stop()
	missed := 0
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		why := c.lost()
		if why == "" {
			missed = 0
			continue
		}
		if missed++; missed > 1 {
			c.leave(why)
			return
		}
	}
}

// leave ends the coordinator for good. The socket stays where it is: by now it
// may be a successor's.
func (c *Coordinator) leave(why string) {
	c.cfg.Log.Warn("this coordinator ends: "+why, "pid", os.Getpid(), "home", c.cfg.Dirs.State)
	c.left.Store(&why)
	c.listener.SetUnlinkOnClose(false)
	c.end()
}
