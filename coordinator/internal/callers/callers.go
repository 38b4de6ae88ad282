// Package callers tells who calls: a program of Afar, the client of a session, something inside a session, or the
// person. It says what a process is, from its ancestors, its birthmark and what the state knows of it. It refuses
// nothing and writes nothing: the server does.
package callers

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// Known is what the state knows of processes. Nothing is asked of it for a line without processes, as the calls of
// a channel have.
type Known interface {
	Session(name string) (session.Session, error)
	OfClient(pid int) (session.Session, bool)
	IsClient(pid int) bool
	WasUnmarked(client session.Process) bool
	IsRunner(session.Process) bool
}

// A Register tells who calls. Any goroutine may ask it.
type Register struct {
	Known Known
	Bin   string // the directory of Afar's binaries
	Self  int    // the process id of the coordinator
	// Started reports whether this coordinator started a runner that has not said so itself; nil: it started none.
	Started func(session.Process) bool

	mu      sync.Mutex
	clients map[int]client // by process id, see Line
}

// IsHook reports whether exe is a hook binary of this installation.
func (r *Register) IsHook(exe string) bool {
	return strings.HasPrefix(filepath.Base(exe), "hook-") && r.isOurs(exe)
}

// IsProgram reports whether exe is the program of this installation with a name.
func (r *Register) IsProgram(exe, name string) bool {
	return filepath.Base(exe) == name && r.isOurs(exe)
}

// isOurs reports whether exe is a program of this installation, of any version. The host
// keeps one folder per version of a plugin that was installed from git, and a program of
// an earlier version may still run.
func (r *Register) isOurs(exe string) bool {
	dir := filepath.Dir(exe)
	return dir == r.Bin || versions(dir) != "" && versions(dir) == versions(r.Bin)
}

// versions returns the folder with all versions of the plugin that a bin directory
// belongs to. It returns "" for a directory outside the host's plugin cache.
func versions(bin string) string {
	parent := filepath.Dir(filepath.Dir(bin))
	if strings.HasSuffix(filepath.ToSlash(parent), "/plugins/cache/afar/afar") {
		return parent
	}
	return ""
}

// IsRunner reports whether a process is a runner that this coordinator started, or an earlier one.
// A runner may have a birthmark: the coordinator has one if a hook started it.
func (r *Register) IsRunner(p peer.Process) bool {
	if !r.IsProgram(p.Exe, "agent-run") {
		return false
	}
	runner := session.Process{PID: p.PID, Born: p.Born}
	return r.Known.IsRunner(runner) || r.Started != nil && r.Started(runner)
}

// Inside returns the program that shows that a line is inside a session, "" for none.
// It looks at the process and all its ancestors, see Below, and at the process itself for the
// birthmark, which a session's shell leaves on everything that it starts.
func (r *Register) Inside(line []peer.Process) string {
	if program := r.Below(line); program != "" {
		return program
	}
	if len(line) > 0 && peer.Born(line[0].PID) {
		return filepath.Base(line[0].Exe) + ", cut off from it"
	}
	return ""
}

// Below returns the first process of a line that has the environment which the host gives its
// children, or that is a session's client, "" for none.
func (r *Register) Below(line []peer.Process) string {
	for _, p := range line {
		// An orphaned hook may have named the first process, 1, as its client.
		if p.Marked || p.PID > 1 && r.Known.IsClient(p.PID) {
			return filepath.Base(p.Exe)
		}
	}
	return ""
}

// Person is the author of what no session writes.
const Person = "person"

// Author returns the session that a caller descends from, and the author's name: the
// session's token, "a session" for an unknown one, or Person.
func (r *Register) Author(line []peer.Process) (v session.Session, by string) {
	for _, p := range line {
		if v, ok := r.Known.OfClient(p.PID); ok {
			return v, v.Token
		}
	}
	if r.Inside(line) != "" {
		return v, "a session"
	}
	return v, Person
}
