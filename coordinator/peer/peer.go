// Package peer says which process is at the other end of the socket, and what
// it descends from. A decision must not come from inside a session, whatever
// binary or raw socket it uses, so the coordinator asks the kernel and not the
// caller.
package peer

import (
	"errors"
	"iter"
	"net"
	"os"
	"path/filepath"
	"slices"
)

// ErrUnknown says that the system cannot tell, or that the process is gone.
var ErrUnknown = errors.New("cannot tell which process is calling")

// A Process is one process as the kernel describes it.
type Process struct {
	PID, Parent int
	Exe         string // path of its binary, also after that was replaced
	Marked      bool   // its environment is that of a session's child
	Terminal    bool   // it has a controlling terminal
	Born        string // when it began, in the system's own words; no other process with its id has the same
	Over        bool   // it has ended, and nobody has taken note of it yet
}

// maxDepth bounds the walk to the first process.
const maxDepth = 64

// marks are the variables that the host gives to what it starts.
var marks = []string{"CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "CLAUDE_CODE_CHILD_SESSION="}

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

// Line returns the process with the given id and its ancestors, nearest first.
// It ends early where the kernel says no more.
func Line(pid int) []Process { return slices.Collect(Walk(pid)) }

// Walk is Line, looking at a process only when it is asked for: each costs some
// system calls.
func Walk(pid int) iter.Seq[Process] {
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

// Glance returns the process with the given id, without a look into its
// environment: Marked is not known where that costs system calls of its own.
func Glance(pid int) (Process, error) { return glance(pid) }

// Alive reports whether there is a process with the given id.
func Alive(pid int) bool {
	_, err := glance(pid)
	return err == nil
}

// Birth returns when the process with the given id began, as Process.Born says it.
func Birth(pid int) string {
	p, err := glance(pid)
	if err != nil || p.Over {
		return ""
	}
	return p.Born
}

// Lives reports whether the process that began at born still runs under its id. Where
// born is "", any process with the id counts; where the system tells nothing, all do.
func Lives(pid int, born string) bool {
	if pid <= 0 {
		return false // those are groups of processes
	}
	if !Supported {
		return true
	}
	p, err := glance(pid)
	return err == nil && !p.Over && (born == "" || p.Born == born)
}

func marked(env iter.Seq[[]byte]) bool {
	for v := range env {
		for _, m := range marks {
			if len(v) > len(m) && string(v[:len(m)]) == m {
				return true
			}
		}
	}
	return false
}

// Session names the program of the session that this process descends from, as
// the kernel tells it and whatever the environment says; "" for none.
func Session() string {
	for p := range Walk(os.Getpid()) {
		if p.Marked {
			return filepath.Base(p.Exe)
		}
	}
	if Supported && Born(os.Getpid()) {
		return "a session's shell"
	}
	return ""
}
