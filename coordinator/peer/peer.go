// Package peer says which process is at the other end of the socket, and which
// processes it descends from. A decision must not come from inside a session, by any
// binary or by a raw socket. So the coordinator asks the kernel, not the caller.
package peer

import (
	"errors"
	"iter"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// ErrUnknown says that the system cannot tell, or that the process is gone.
var ErrUnknown = errors.New("cannot tell which process is calling")

// A Process is one process as the kernel describes it.
type Process struct {
	PID, Parent int
	Exe         string // path of its binary, even if the file was replaced since
	Marked      bool   // its environment is that of a session's child
	Terminal    bool   // it has a controlling terminal
	Leads       bool   // it leads a session of processes, as the first program in a terminal does
	Born        string // when it began, in the system's form; unique among processes with the same id
	Over        bool   // it has ended, and its parent has not waited for it yet
}

// maxDepth bounds the walk to the first process.
const maxDepth = 64

// Of returns the user id and the process id at the other end of conn.
func Of(conn *net.UnixConn) (uid, pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { uid, pid, inner = credentials(int(fd)) }); err != nil {
		return 0, 0, err
	}
	return uid, pid, inner
}

// Line returns the process with the given id and its ancestors, nearest first. It
// ends at the first process that the kernel does not show.
func Line(pid int) []Process { return slices.Collect(walk(pid)) }

// walk is like Line, but looks at a process only when the loop reaches it, because each
// process costs some system calls.
func walk(pid int) iter.Seq[Process] {
	return func(yield func(Process) bool) {
		for range maxDepth {
			p, err := look(pid)
			if err != nil || !yield(p) || p.Parent <= 0 {
				return
			}
			pid = p.Parent
		}
	}
}

// Glance returns the process with the given id. It does not read the environment if
// that costs more system calls; Marked is then not known.
func Glance(pid int) (Process, error) { return glance(pid) }

// Alive reports whether there is a process with the given id.
func Alive(pid int) bool {
	_, err := glance(pid)
	return err == nil
}

// Birth returns Process.Born of the process with the given id, "" if it has ended.
func Birth(pid int) string {
	p, err := glance(pid)
	if err != nil || p.Over {
		return ""
	}
	return p.Born
}

// Lives reports whether the process with the given id that began at born still runs. If
// born is "", any process with the id counts. On a system without support it is true for
// every positive id.
func Lives(pid int, born string) bool {
	if pid <= 0 {
		return false // such an id names a group of processes
	}
	if !Supported {
		return true
	}
	now := Birth(pid)
	if born == "" {
		return now != ""
	}
	return now == born
}

// Born reports whether a process has a birthmark: a client of a session, a shell of one, or what
// Afar started for one has started it. If the kernel does not say, Born is true.
func Born(pid int) bool { return Level(pid) != birthmark.None }

// marked reports whether an environment is that of a session's child.
func marked(env iter.Seq[[]byte]) bool {
	for v := range env {
		for _, m := range claude.ChildMarks {
			if len(v) > len(m) && string(v[:len(m)]) == m {
				return true
			}
		}
	}
	return false
}

// SameProgram reports whether two paths are one program, perhaps in two versions that its
// installer keeps side by side in a folder named versions.
func SameProgram(a, b string) bool {
	return a == b || filepath.Dir(a) == filepath.Dir(b) && filepath.Base(filepath.Dir(a)) == "versions"
}

// Session returns the program of the session that this process descends from, ""
// for none. It asks the kernel and does not rely on the process's own environment.
func Session() string {
	for p := range walk(os.Getpid()) {
		if p.Marked {
			return filepath.Base(p.Exe)
		}
	}
	if Born(os.Getpid()) {
		return "a session's shell"
	}
	return ""
}
