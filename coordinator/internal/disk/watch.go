// Package disk watches directories and reads small files.
package disk

import (
	"context"

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
	for _, other := range w.WatchList() {
		if other != dir {
			_ = w.Remove(other) // it may be gone already
		}
	}
	return nil
}

// Watch calls f now and after each change in dir, which must exist, until ctx
// ends.
func Watch(ctx context.Context, dir string, f func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Add(dir); err != nil {
		return err
	}
	for {
		f()
		select {
		case <-ctx.Done():
			return nil
		case <-w.Events:
		case <-w.Errors: // the kernel's queue ran over: something changed
		}
	}
}
