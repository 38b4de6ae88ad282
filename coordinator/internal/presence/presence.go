// Package presence notices when a coordinator has lost its home. It cannot be reached
// any more then, and a successor may serve the same bot.
package presence

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

// Possessions are the files that a coordinator holds.
type Possessions []possession

// Hold notes what a coordinator holds in its home, once all of it is open.
// program is the path of its binary; one that is not there is not watched.
func Hold(dirs home.Dirs, program string) (Possessions, error) {
	all := Possessions{
		{what: "lock file", path: dirs.LifeLock()},
		{what: "socket", path: dirs.Socket()},
		{what: "database", path: dirs.Database()},
	}
	for i, p := range all {
		info, err := os.Lstat(p.path)
		if err != nil {
			return nil, fmt.Errorf("look at the %s: %w", p.what, err)
		}
		all[i].info = info
	}
	if exists(program) {
		all = append(all, possession{what: "program", path: program})
	}
	return all, nil
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

// lost says what is no longer there, "" while all is.
func (all Possessions) lost() string {
	for _, p := range all {
		if why := p.lost(); why != "" {
			return why
		}
	}
	return ""
}

// AwaitLoss returns what was lost as soon as it is, and "" when ctx ends before.
func (all Possessions) AwaitLoss(ctx context.Context) string {
	tick := time.NewTicker(presentEvery)
	defer tick.Stop()
	missed := 0
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ""
		}
		why := all.lost()
		if why == "" {
			missed = 0
			continue
		}
		if missed++; missed > 1 {
			return why
		}
	}
}
