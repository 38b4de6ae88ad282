// Package sessionwatch reports to the core what the host's session files say about its
// sessions, and which clients have ended.
package sessionwatch

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/sessions"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Watcher watches the session files in all of the host's directories.
type Watcher struct {
	core       *core.Core
	hostDirs   []string // always watched
	consulting func(pid int) bool
	log        *slog.Logger
	look       chan struct{} // asks watchClients for a look

	mu      sync.Mutex
	dialogs map[session.ID]time.Time // since when the files of sessions say that a dialog is open
}

// New returns a watcher of the host's usual configuration directory, of the one that the
// environment names, and of those that have sessions. It ignores paths that are not
// absolute. consulting reports whether a client was started by a consultation.
func New(
	c *core.Core, dirs home.Dirs, getenv func(string) string, consulting func(pid int) bool, log *slog.Logger,
) *Watcher {
	w := &Watcher{core: c, consulting: consulting, log: log, dialogs: map[session.ID]time.Time{}}
	w.look = make(chan struct{}, 1)
	for _, dir := range []string{dirs.HostDir(), claude.Env(getenv).ConfigDir()} {
		if filepath.IsAbs(dir) {
			w.hostDirs = append(w.hostDirs, filepath.Clean(dir))
		}
	}
	return w
}

// Lives reports whether a process of a session is alive.
func Lives(p session.Process) bool { return peer.Lives(p.PID, p.Born) }

// Run works until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	var watchers sync.WaitGroup
	defer watchers.Wait()
	watchers.Go(func() { w.watchClients(ctx) })
	known := map[string]bool{}
	changed := w.core.Subscribe(core.Transcripts)
	defer changed.Close()
	for {
		for _, dir := range w.dirs() {
			if !known[dir] {
				known[dir] = true
				watchers.Go(func() { w.watchDir(ctx, dir) })
			}
		}
		select {
		case <-changed.C:
		case <-ctx.Done():
			return
		}
	}
}

// dirs lists the host's configuration directories. A session's transcript names one.
func (w *Watcher) dirs() []string {
	dirs := slices.Clone(w.hostDirs)
	for _, v := range w.core.Sessions() {
		if dir := claude.ConfigDir(v.Transcript); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Open returns the client that has a conversation open, in words, "" for none.
func (w *Watcher) Open(conversation string) string {
	for _, dir := range w.dirs() {
		if f, ok := sessions.Open(dir, conversation); ok {
			return f.Where()
		}
	}
	return ""
}

// Find returns the directory in which a conversation on the disk began. ok is false if there is
// no such conversation.
func (w *Watcher) Find(conversation string) (cwd string, ok bool) {
	for _, dir := range w.dirs() {
		if cwd, ok = transcript.Find(dir, conversation); ok {
			return cwd, true
		}
	}
	return "", false
}

// lookEvery is the time between two looks at what the system does not tell. gather is how long changes
// are gathered before a look at which processes to wait for, and lastWords how long what an ended process
// said may take to be heard: a hook ends right after its receipt.
const (
	lookEvery = 5 * time.Second
	gather    = 100 * time.Millisecond
	lastWords = 2 * time.Second
)

// watchClients reports which clients have ended, until ctx ends. While nothing happens it sleeps: the
// system tells the end of a process. Where it does not, and while a dialog or a submitted text waits, it
// looks every few seconds.
func (w *Watcher) watchClients(ctx context.Context) {
	var waiters sync.WaitGroup
	defer waiters.Wait()
	e := &ends{over: map[session.Process]bool{}, told: true}
	changed := w.core.Subscribe(core.Anything)
	defer changed.Close()
	for {
		fresh, untold := e.follow(w.core.Processes())
		for _, p := range fresh {
			waiters.Go(func() {
				if e.await(ctx, p); sleep(ctx, lastWords) {
					w.wake()
				}
			})
		}
		var tick <-chan time.Time
		if untold || w.hasDialogs() || w.core.NeedsLooks() {
			tick = time.After(lookEvery)
		}
		select {
		case <-tick:
			w.lookNow()
		case <-w.look:
			w.lookNow()
		case <-changed.C:
		case <-ctx.Done():
			return
		}
		sleep(ctx, gather)
	}
}

// sleep waits for a time. It returns false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// wake asks watchClients for a look.
func (w *Watcher) wake() {
	select {
	case w.look <- struct{}{}:
	default: // it will look anyway
	}
}

func (w *Watcher) lookNow() {
	if err := w.core.Look(); err != nil {
		w.log.Error("look which clients run", "err", err)
	}
	w.settlePrompts()
	w.askAboutDialogs()
}

// ends waits for the ends of processes.
type ends struct {
	mu   sync.Mutex
	over map[session.Process]bool // whether those that are waited for have ended
	told bool                     // the system tells the end of a process
}

// follow returns those of the processes that nobody waits for yet. untold is true if the end of one is
// not told, or was and the process is still there: its parent has not asked for it.
func (e *ends) follow(all []session.Process) (fresh []session.Process, untold bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.told {
		return nil, len(all) > 0
	}
	maps.DeleteFunc(e.over, func(p session.Process, over bool) bool { return over && !slices.Contains(all, p) })
	for _, p := range all {
		over, known := e.over[p]
		untold = untold || over
		if !known {
			e.over[p] = false
			fresh = append(fresh, p)
		}
	}
	return fresh, untold
}

// await waits for the end of a process.
func (e *ends) await(ctx context.Context, p session.Process) {
	told := peer.AwaitEnd(ctx, p.PID, p.Born)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = e.told && told
	e.over[p] = true
}

// settlePrompts finds out what became of texts that mods submitted and that no hook has seen.
func (w *Watcher) settlePrompts() {
	for _, p := range w.core.UnshownPrompts() {
		held, ok := transcript.Holds(p.Transcript, p.Text, p.At)
		if err := w.core.SettlePrompt(p, message.Proof{Arrived: held, Sure: ok}); err != nil {
			w.log.Error("settle a submitted text", "err", err)
		}
	}
}

func (w *Watcher) watchDir(ctx context.Context, dir string) {
	d := &directory{
		Watcher:   w,
		waiting:   map[session.ID]bool{},
		busy:      map[session.ID]bool{},
		consulted: map[session.ID]bool{},
	}
	if err := sessions.Watch(ctx, dir, w.log, sessions.File.Running, d.report); err != nil {
		w.log.Error("watch session files", "dir", dir, "err", err)
	}
}

// A directory is the state of the sessions in one of the host's directories. Only the
// goroutine that watches the directory uses it.
type directory struct {
	*Watcher
	waiting   map[session.ID]bool // sessions that have a dialog open
	busy      map[session.ID]bool // sessions that have a turn running
	consulted map[session.ID]bool // files of clients that a consultation started
}

func (d *directory) report(f sessions.File, gone bool) {
	if err := d.observe(f, gone); err != nil {
		d.log.Error("read a session file", "err", err)
	}
}

// states are the states of sessions by the host's words for them.
var states = map[string]session.State{
	"busy":    session.Working,
	"idle":    session.Idle,
	"waiting": session.Waiting,
}

// observe reports one session file to the core. It ignores a client of a consultation,
// which Afar starts without hooks. Any other client without calls of our hooks is
// unprotected.
//
// A dialog that closed was answered at the terminal. Yes leaves the session busy. Esc
// leaves it idle and also ends the waiting hook, except for the form of a server: the
// host does not report its end.
func (d *directory) observe(f sessions.File, gone bool) error {
	id := session.ID(f.Session)
	if d.isConsulted(f, gone) {
		return nil
	}
	if gone {
		d.noteDialog(id, "", "")
		delete(d.waiting, id)
		delete(d.busy, id)
		return d.core.EndSession(id, "its client is gone")
	}
	state := states[f.Status]
	was, _ := d.core.Session(f.Session) // an unknown session has no state
	if _, err := d.core.See(sighting(f, state)); err != nil {
		return err
	}
	if over := d.noteDialog(id, was.State, state); over {
		if err := d.core.DialogOver(id); err != nil {
			return err
		}
	}
	closed := d.waiting[id] && state == session.Working
	ended := d.busy[id] && state == session.Idle
	d.waiting[id], d.busy[id] = state == session.Waiting, state == session.Working
	switch {
	case closed:
		return d.core.LocallySettled(id, time.Now())
	case ended:
		return d.core.Interrupted(id)
	}
	return nil
}

func sighting(f sessions.File, state session.State) session.Sighting {
	return session.Sighting{
		ID:         session.ID(f.Session),
		Cwd:        f.Cwd,
		Client:     f.PID,
		ClientBorn: peer.Birth(f.PID),
		Entrypoint: f.Entrypoint,
		Starts:     true,
		State:      state,
		Name:       nameOf(f),
		Inbox:      f.Inbox,
	}
}

// maxName bounds the name of a session, in bytes.
const maxName = 200

// nameOf returns the name of a session. It returns "" for a name that the host derived
// from the directory, because the session's token already contains that.
func nameOf(f sessions.File) string {
	if f.NameSource == "" || f.NameSource == "derived" {
		return ""
	}
	return redact.Clean(text.Fold(ask.Elide(f.Name, maxName)))
}

// isConsulted reports whether the client of a session file is, or was, started by a
// consultation.
func (d *directory) isConsulted(f sessions.File, gone bool) bool {
	id := session.ID(f.Session)
	if gone {
		was := d.consulted[id]
		delete(d.consulted, id)
		return was
	}
	d.consulted[id] = d.consulting(f.PID)
	return d.consulted[id]
}
