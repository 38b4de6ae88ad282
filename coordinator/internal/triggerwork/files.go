package triggerwork

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// FilesSupported reports whether rules of this system may watch files.
const FilesSupported = runtime.GOOS != "windows"

// complete is how long a file must rest before it counts as complete, and gather how long
// changes are gathered before the folders are looked through.
const (
	complete = 2 * time.Second
	gather   = 200 * time.Millisecond
)

// rescan is how often the folders are looked through without any change: a network drive does not
// tell of the changes that other machines make.
const rescan = time.Minute

// A look is what a file was when it was last looked at.
type look struct {
	size  int64
	mod   time.Time
	since time.Time // it has been like that
	done  bool      // it has fired, or had fired before
}

// A rule of files.
type fileRule struct {
	trigger.Trigger
	glob string
}

// watchFiles makes rules fire when files are complete, until ctx ends.
func (w *Worker) watchFiles(ctx context.Context) {
	watcher, err := disk.NewWatcher()
	if err != nil {
		w.cfg.Log.Error("watch files", "err", err)
		return
	}
	defer watcher.Close()
	w.watchWith(ctx, watcher)
}

// watchWith looks through the folders after each change that the watcher tells, again when a file
// that has just changed may be complete, and now and then.
func (w *Worker) watchWith(ctx context.Context, watcher *disk.Watcher) {
	sub := w.cfg.Core.Subscribe(feature.Triggers)
	defer sub.Close()
	seen := map[string]look{}
	later := time.NewTicker(w.rescan)
	defer later.Stop()
	for {
		rules := w.fileRules()
		w.watchDirs(watcher, rules)
		var timer <-chan time.Time
		if next := w.lookThrough(ctx, rules, seen); next > 0 {
			timer = time.After(next)
		}
		select {
		case <-watcher.Events:
		case <-watcher.Errors: // the kernel's queue ran over: anything may have changed
		case <-timer:
			continue
		case <-later.C:
			continue
		case <-sub.C:
		case <-ctx.Done():
			return
		}
		if !watcher.Drain(ctx, gather) {
			return
		}
	}
}

// fileRules returns the rules of files that are on.
func (w *Worker) fileRules() (rules []fileRule) {
	for _, t := range w.cfg.Core.Triggers() {
		if !t.Live() {
			continue
		}
		r, err := trigger.Parse(string(t.Name), t.Text, Zones)
		if err == nil && r.When.Kind == trigger.File {
			rules = append(rules, fileRule{t, w.inHome(r.When.Glob)})
		}
	}
	return rules
}

// inHome returns a path with the person's home for ~.
func (w *Worker) inHome(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(w.cfg.Dirs.User, below)
	}
	return path
}

// watchDirs watches the folders in which files of rules may appear: those that exist, and where
// one is missing the nearest folder above it.
func (w *Worker) watchDirs(watcher *disk.Watcher, rules []fileRule) {
	wanted := map[string]bool{}
	for _, r := range rules {
		for dir := filepath.Dir(r.glob); ; dir = filepath.Dir(dir) {
			found, _ := filepath.Glob(dir)
			for _, path := range found {
				wanted[path] = true
			}
			if len(found) > 0 && !strings.ContainsAny(dir, `*?[`) || dir == filepath.Dir(dir) {
				break
			}
		}
	}
	for _, old := range watcher.WatchList() {
		if !wanted[old] {
			_ = watcher.Remove(old) // it may be gone already
		}
	}
	for dir := range wanted {
		if err := watcher.Add(dir); err != nil {
			w.cfg.Log.Error("watch a folder", "dir", dir, "err", err)
		}
	}
}

// lookThrough looks at all files of the rules. It returns when the next one may be complete, 0
// for never.
func (w *Worker) lookThrough(ctx context.Context, rules []fileRule, seen map[string]look) (next time.Duration) {
	found := map[string]bool{}
	for _, r := range rules {
		paths, _ := filepath.Glob(r.glob)
		for _, path := range paths {
			if linkedDir(path) != "" {
				continue
			}
			key := string(r.Name) + " " + r.Hash + " " + path
			found[key] = true
			now, rests := w.lookAt(path, seen[key])
			if rests > 0 && (next == 0 || rests < next) {
				next = rests
			}
			if !now.done && !now.since.IsZero() && rests == 0 {
				now.done = w.fileFires(ctx, r.Name, path)
			}
			seen[key] = now
			if ctx.Err() != nil {
				return 0
			}
		}
	}
	for key := range seen {
		if !found[key] {
			delete(seen, key)
		}
	}
	return next
}

// lookAt returns what a file is now, and how long it must still rest. It ignores what is no
// regular file.
func (w *Worker) lookAt(path string, before look) (now look, rests time.Duration) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return look{}, 0
	}
	if before.size != info.Size() || !before.mod.Equal(info.ModTime()) || before.since.IsZero() {
		before = look{size: info.Size(), mod: info.ModTime(), since: time.Now()}
	}
	if before.done {
		return before, 0
	}
	return before, max(0, w.complete-time.Since(before.since))
}

// fileFires makes a rule fire for a file. It returns false if that must be tried again.
func (w *Worker) fileFires(ctx context.Context, name trigger.Name, path string) bool {
	sum, size, err := disk.Digest(ctx, path)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		w.cfg.Log.Warn("read a file that a trigger waits for", "file", path, "err", err)
		return true // it changes again, or is gone
	}
	// it never fails
	payload, _ := json.Marshal(map[string]any{"path": path, "name": filepath.Base(path), "size": size})
	_, _, _, err = w.cfg.Core.Shoot(feature.Shot{
		Trigger: name,
		Key:     trigger.FileKey + sum,
		By:      "a file",
		Payload: trigger.Payload{Text: strings.ToValidUTF8(string(payload), "\ufffd")},
		Waits:   true,
	})
	if err != nil {
		w.cfg.Log.Error("record a file", "trigger", name, "err", err)
	}
	return err == nil
}

// linkedDir returns the first folder on the way to a path that is a link, "" for none. A link in the
// root folder belongs to the system.
func linkedDir(path string) string {
	dir := filepath.Dir(path)
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		info, err := os.Lstat(dir)
		if err == nil && info.Mode()&os.ModeSymlink != 0 && up != filepath.Dir(up) {
			return dir
		}
	}
	return ""
}
