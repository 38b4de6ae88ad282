package taskwork

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// settleFor is how long after a change in a folder the files are looked at: an editor may empty or
// remove a file before it writes it.
const settleFor = 200 * time.Millisecond

// watch wakes all that show or work on tasks after each change in a folder, until ctx ends.
func (w *Worker) watch(ctx context.Context) {
	if err := disk.Settled(ctx, disk.WatchTree, w.folders.dir, settleFor, w.core.TouchTasks); err != nil {
		w.log.Error("watch the tasks", "dir", w.folders.dir, "err", err)
	}
}

// changing reports whether the state.md of a task, or which files its folder has, changed a moment
// ago. The watch then leads to another look.
func (f Folders) changing(slug task.Slug) bool {
	for _, path := range []string{f.Dir(slug), filepath.Join(f.Dir(slug), stateFile)} {
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if age := time.Since(info.ModTime()); age >= 0 && age < settleFor {
			return true
		}
	}
	return false
}
