// Package sessions watches the host's session files, and sends texts to the host's
// clients. It makes no decisions about sessions.
package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/disk"
)

// All files are looked at again now and then: a network drive does not tell of changes, and a client may
// die without removing its file. Where nothing can be watched, that is often.
const (
	rescanEvery   = time.Minute
	rescanUnheard = 5 * time.Second
)

// A File is what the host writes about one of its clients, in
// <config dir>/sessions/<pid>.json.
type File struct {
	PID        int    `json:"pid"`
	Session    string `json:"sessionId"`
	Cwd        string `json:"cwd"`
	Kind       string `json:"kind"` // interactive or bg
	Name       string `json:"name"`
	NameSource string `json:"nameSource"` // derived, of the directory; auto, of the task; else the person's
	Entrypoint string `json:"entrypoint"`
	Status     string `json:"status"`    // busy, idle, waiting; empty in a print session
	ProcStart  string `json:"procStart"` // when the client began, as the system counts it
	Inbox      string `json:"messagingSocketPath"`
}

// maxSessionFile bounds what is read of one file.
const maxSessionFile = 1 << 20

// Watch reports the host's session files below dir, the host's configuration directory,
// until ctx ends. It reports each file as it is now and after each change, and with gone
// when lives says that its client no longer runs.
func Watch(
	ctx context.Context, dir string, log *slog.Logger, lives func(File) bool, report func(f File, gone bool),
) error {
	w, err := disk.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	s := &sessions{
		dir:     filepath.Join(dir, "sessions"),
		watcher: w,
		log:     log,
		lives:   lives,
		report:  report,
		seen:    map[string]File{},
	}
	s.scan()
	for {
		again := rescanEvery
		if len(w.WatchList()) == 0 {
			again = rescanUnheard
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
			s.scan()
		case e := <-w.Events:
			s.changed(e.Name)
		case err := <-w.Errors:
			log.Warn("watch session files", "err", err)
			s.scan()
		}
	}
}

// sessions is owned by the goroutine of Watch.
type sessions struct {
	dir     string
	watcher *disk.Watcher
	log     *slog.Logger
	lives   func(File) bool
	report  func(File, bool)
	seen    map[string]File // by file name
}

// changed looks at the file with that path. For a path outside the directory it looks at
// all files, because the directory may have appeared.
func (s *sessions) changed(path string) {
	if filepath.Dir(path) == s.dir {
		s.look(filepath.Base(path))
		return
	}
	s.scan()
}

// attach watches the directory, or the nearest existing one above it, so that it sees the
// directory appear. It reports whether the directory exists.
func (s *sessions) attach() (exists bool) {
	for dir, up := s.dir, 0; up < 3; dir, up = filepath.Dir(dir), up+1 {
		err := s.watcher.WatchOnly(dir)
		if err == nil {
			return up == 0
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.log.Warn("watch session files", "dir", dir, "err", err)
		}
	}
	return false
}

// scan looks at every file, known and new.
func (s *sessions) scan() {
	for name := range s.seen {
		s.look(name)
	}
	if !s.attach() {
		return
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		s.look(e.Name())
	}
}

// look reads one file and reports what changed. It ignores a half-written file, because
// another event follows.
func (s *sessions) look(name string) {
	if !isSession(name) {
		return
	}
	old, known := s.seen[name]
	f, err := readSession(filepath.Join(s.dir, name))
	if err != nil {
		f.PID, f.ProcStart = old.PID, old.ProcStart
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || !s.lives(f):
		if known {
			delete(s.seen, name)
			s.report(old, true)
		}
	case err == nil && f.Session != "" && f != old:
		s.seen[name] = f
		s.report(f, false)
	}
}

// isSession reports whether a file has the name of a session file. The host's keys, which are in
// the same directory, are never read.
func isSession(name string) bool {
	pid, ok := strings.CutSuffix(name, ".json")
	_, err := strconv.ParseUint(pid, 10, 32)
	return ok && err == nil
}

func readSession(path string) (f File, err error) {
	raw, err := disk.Head(path, maxSessionFile)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, err
	}
	if f.PID == 0 {
		f.PID, _ = strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return f, nil
}
