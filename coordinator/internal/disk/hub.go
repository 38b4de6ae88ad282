package disk

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A hub is the one watcher that Watch, WatchTree and WatchAll share in this process: the kernel
// allows a person few of them, on many systems 128.
type hub struct {
	changing sync.Mutex // held while directories are added or removed
	watcher  *fsnotify.Watcher

	mu    sync.Mutex                        // guards those who wait
	waits map[string]map[chan struct{}]bool // by the directory that they watch
}

var shared = hub{waits: map[string]map[chan struct{}]bool{}}

// watch calls look now and after each change in dir, which must exist, and in the directories that look
// adds, until ctx ends.
func watch(ctx context.Context, dir string, look func(add func(dir string) error)) error {
	changed := make(chan struct{}, 1)
	add := func(dir string) error { return shared.add(filepath.Clean(dir), changed) }
	defer shared.leave(changed)
	if err := add(dir); err != nil {
		return err
	}
	for {
		look(add)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// add has changed filled after each change in dir. A directory that was made anew is added again.
func (h *hub) add(dir string, changed chan struct{}) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	if h.watcher == nil {
		w, err := fsnotify.NewWatcher()
		if err != nil {
			return err
		}
		h.watcher = w
		go h.spread(w)
	}
	if err := h.watcher.Add(dir); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waits[dir] == nil {
		h.waits[dir] = map[chan struct{}]bool{}
	}
	h.waits[dir][changed] = true
	return nil
}

// leave forgets who waits with changed, and ends the watcher with the last one.
func (h *hub) leave(changed chan struct{}) {
	h.changing.Lock()
	defer h.changing.Unlock()
	for _, dir := range h.forget(changed) {
		_ = h.watcher.Remove(dir) // it may be gone already
	}
	if len(h.waits) == 0 && h.watcher != nil {
		_ = h.watcher.Close()
		h.watcher = nil
	}
}

// forget returns the directories for which nobody waits any more.
func (h *hub) forget(changed chan struct{}) (free []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for dir, who := range h.waits {
		if delete(who, changed); len(who) == 0 {
			delete(h.waits, dir)
			free = append(free, dir)
		}
	}
	return free
}

// spread tells of each change until w is closed.
func (h *hub) spread(w *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			h.tell(filepath.Dir(e.Name))
			h.tell(e.Name)
		case _, ok := <-w.Errors: // the kernel's queue ran over: something changed
			if !ok {
				return
			}
			h.tellAll()
		}
	}
}

// tell tells those who watch dir.
func (h *hub) tell(dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fill(h.waits[dir])
}

func (h *hub) tellAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, who := range h.waits {
		fill(who)
	}
}

func fill(who map[chan struct{}]bool) {
	for changed := range who {
		select {
		case changed <- struct{}{}:
		default: // a look is due anyway
		}
	}
}
