// Package disk watches directories and reads small files.
package disk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A Watcher reports changes in one directory at a time.
type Watcher struct{ *fsnotify.Watcher }

// NewWatcher returns a watcher that watches nothing yet.
func NewWatcher() (*Watcher, error) {
	w, err := fsnotify.NewWatcher()
	return &Watcher{w}, err
}

// WatchOnly watches dir, and no other directory any more.
func (w *Watcher) WatchOnly(dir string) error {
	if err := w.Add(dir); err != nil {
		return err
	}
	w.WatchThese([]string{dir})
	return nil
}

// WatchThese watches those of the directories that exist, and no other any more.
func (w *Watcher) WatchThese(dirs []string) {
	for _, other := range w.WatchList() {
		if !slices.Contains(dirs, other) {
			_ = w.Remove(other) // it may be gone already
		}
	}
	for _, dir := range dirs {
		_ = w.Add(dir) // it may not exist yet
	}
}

// Drain takes the changes of a while. It returns false when ctx ends.
func (w *Watcher) Drain(ctx context.Context, while time.Duration) bool {
	enough := time.After(while)
	for {
		select {
		case <-w.Events:
		case <-w.Errors:
		case <-enough:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// Watch calls f now and after each change in dir, which must exist, until ctx
// ends.
func Watch(ctx context.Context, dir string, f func()) error {
	return watch(ctx, dir, func(func(string) error) { f() })
}

// WatchTree calls f now and after each change in dir, which must exist, or in a directory
// directly below it, also in one that is made later, until ctx ends.
func WatchTree(ctx context.Context, dir string, f func()) error {
	return watch(ctx, dir, func(add func(string) error) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() {
				_ = add(filepath.Join(dir, e.Name())) // it may be gone already
			}
		}
		f() // last: a new directory may have files already
	})
}

// WatchAll calls f now and after each change in dir, which must exist, or anywhere below it, until
// ctx ends. It follows no links. Of more than mostDirs directories it watches the first ones.
func WatchAll(ctx context.Context, dir string, f func()) error {
	return watch(ctx, dir, func(add func(string) error) {
		n := 0
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir(): // it may be gone already
				return nil
			case n == mostDirs:
				return fs.SkipAll
			}
			n++
			_ = add(path) // it may be gone already
			return nil
		})
		f() // last: a new directory may have files already
	})
}

// mostDirs bounds the directories of one WatchAll: the kernel allows a person some thousands.
const mostDirs = 2000

// A WatchFunc is Watch, WatchTree or WatchAll.
type WatchFunc func(ctx context.Context, dir string, f func()) error

// Settled makes dir, and calls f a while after each change in it: an editor may write in steps.
// Changes meanwhile are one change. Settled returns when ctx ends or dir cannot be watched, and f
// is not called any more then.
func Settled(ctx context.Context, watch WatchFunc, dir string, wait time.Duration, f func()) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	var caller sync.WaitGroup
	defer caller.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	caller.Go(func() { callSettled(ctx, changed, wait, f) })
	return watch(ctx, dir, func() {
		select {
		case changed <- struct{}{}:
		default: // f is called anyway
		}
	})
}

func callSettled(ctx context.Context, changed <-chan struct{}, wait time.Duration, f func()) {
	for {
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(wait):
			f()
		case <-ctx.Done():
			return
		}
	}
}
