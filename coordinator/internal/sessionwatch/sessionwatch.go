// Package sessionwatch takes in what the host's session files say of its sessions,
// and which clients have ended.
package sessionwatch

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
)

// A Watch watches the session files of all of the host's directories.
type Watch struct {
	Core     *core.Core
	Log      *slog.Logger
	HostDirs []string // the host's configuration directories that are always watched; paths that are not absolute count for nothing
	// Consulting reports whether a client is one that is consulted, and no session.
	Consulting func(pid int) bool
}

// Run takes in what the host says of its sessions, in HostDirs and in each
// directory that a session's transcript names, until ctx ends.
func (c *Watch) Run(ctx context.Context) {
	var watchers sync.WaitGroup
	defer watchers.Wait()
	watchers.Go(func() { c.watchClients(ctx) })
	known := map[string]bool{}
	changed := c.Core.Subscribe(core.Transcripts)
	defer changed.Close()
	for {
		for _, dir := range c.hostDirs() {
			if !known[dir] {
				known[dir] = true
				watchers.Go(func() { c.watchDir(ctx, dir) })
			}
		}
		select {
		case <-changed.C:
		case <-ctx.Done():
			return
		}
	}
}

// lookEvery is how soon it shows that a client has ended which left no session file.
const lookEvery = 5 * time.Second

// watchClients takes in which clients have ended, until ctx ends.
func (c *Watch) watchClients(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := c.Core.Look(); err != nil {
			c.Log.Error("look which clients run", "err", err)
		}
	}
}

// hostDirs lists the host's configuration directories.
func (c *Watch) hostDirs() []string {
	var dirs []string
	for _, dir := range c.HostDirs {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	for _, v := range c.Core.Sessions() {
		if dir := disk.HostDir(v.Transcript); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func (c *Watch) watchDir(ctx context.Context, dir string) {
	w := &watcher{c: c, waiting: map[session.ID]bool{}, busy: map[session.ID]bool{}, consulted: map[session.ID]bool{}}
	if err := disk.WatchSessions(ctx, dir, c.Log, clientLives, w.report); err != nil {
		c.Log.Error("watch session files", "dir", dir, "err", err)
	}
}

// clientLives reports whether the client that wrote a session file still runs: a file
// outlives a client that was killed, and its id may be another process's by then.
func clientLives(f disk.SessionFile) bool { return peer.Lives(f.PID, peer.BornAt(f.ProcStart)) }

// nameOf is what a session is called, where that says more than its directory:
// that is in its token.
func nameOf(f disk.SessionFile) string {
	if f.NameSource == "" || f.NameSource == "derived" {
		return ""
	}
	return redact.Clean(strings.Join(strings.Fields(ask.Elide(f.Name, maxName)), " "))
}

// maxName bounds the name of a session, in bytes.
const maxName = 200

// A watcher is owned by the goroutine that watches one directory.
type watcher struct {
	c       *Watch
	waiting map[session.ID]bool // a dialog is open
	busy    map[session.ID]bool // a turn runs

	consulted map[session.ID]bool // that is no session
}

func (w *watcher) report(f disk.SessionFile, gone bool) {
	if err := w.sight(f, gone); err != nil {
		w.c.Log.Error("take in a session file", "err", err)
	}
}

// sight takes in one session file, but for that of a client which is consulted: it
// runs without hooks because we say so. Any other client that no hook of ours
// spoke for is unprotected. A dialog that closed was answered at the terminal: yes leaves
// the session busy, Esc leaves it idle and also ends the waiting hook, but for
// that of a form, of which the host says nothing.
func (w *watcher) sight(f disk.SessionFile, gone bool) error {
	id := session.ID(f.Session)
	if w.consults(f, gone) {
		return nil
	}
	if gone {
		delete(w.waiting, id)
		delete(w.busy, id)
		return w.c.Core.EndSession(id, "its client is gone")
	}
	state := map[string]session.State{"busy": session.Working, "idle": session.Idle, "waiting": session.Waiting}[f.Status]
	if _, err := w.c.Core.See(session.Sighting{ID: id, Cwd: f.Cwd, Client: f.PID, ClientBorn: peer.Birth(f.PID), Entrypoint: f.Entrypoint, Starts: true, State: state, Name: nameOf(f), Inbox: f.Inbox}); err != nil {
		return err
	}
	closed, ended := w.waiting[id] && state == session.Working, w.busy[id] && state == session.Idle
	w.waiting[id], w.busy[id] = state == session.Waiting, state == session.Working
	switch {
	case closed:
		return w.c.Core.LocallySettled(id, time.Now())
	case ended:
		return w.c.Core.Interrupted(id)
	}
	return nil
}

// consults reports whether a session file is that of a client which is consulted.
func (w *watcher) consults(f disk.SessionFile, gone bool) bool {
	id := session.ID(f.Session)
	was := w.consulted[id]
	delete(w.consulted, id)
	if !gone && w.c.Consulting(f.PID) {
		w.consulted[id] = true
	}
	return gone && was || w.consulted[id]
}
