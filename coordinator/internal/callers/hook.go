package callers

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// Speaks reports whether the first process of a line, a hook, may speak for a session. client is the client's
// process id as the hook gives it, 0 for none. where is the program of the session that the hook runs in, "" for
// none. Before Speaks says no it looks up the line again, and returns it: without processes the hook has ended.
func (r *Register) Speaks(
	line []peer.Process, id session.ID, client int,
) (fresh []peer.Process, where string, ok bool) {
	where, ok = r.speaks(line, id, client)
	if !ok && r.forget(line) {
		line = peer.Line(line[0].PID)
		where, ok = r.speaks(line, id, client)
	}
	return line, where, ok
}

func (r *Register) speaks(line []peer.Process, id session.ID, client int) (where string, ok bool) {
	if len(line) == 0 {
		return "an unknown process", false
	}
	host := r.host(line)
	where = r.sessionAbove(line[0], host)
	return where, where == "" || r.speaksFor(line[0], host, id, client)
}

// speaksFor reports whether host is the client of a session, or may be because no other
// living process is.
func (r *Register) speaksFor(p peer.Process, host []peer.Process, id session.ID, client int) bool {
	switch {
	case len(host) == 0, replacedShell(p, host[0]), host[0].PID == r.Self:
		return false
	case client != 0 && client != host[0].PID:
		return false
	}
	v, _ := r.Known.Session(string(id)) // an unknown session has no client
	return !v.Live() || v.Client == host[0].PID || !peer.Alive(v.Client)
}

// sessionAbove returns the program of the session that the client which ran the hook p descends
// from, "" for none.
func (r *Register) sessionAbove(p peer.Process, host []peer.Process) string {
	switch {
	case len(host) == 0:
		return filepath.Base(p.Exe)
	case host[0].PID == r.Self: // a check or a filter became the hook
		return filepath.Base(p.Exe) + ", started by Afar for a session"
	case host[0].Marked:
		return filepath.Base(host[0].Exe)
	case replacedShell(p, host[0]):
		return filepath.Base(p.Exe) + ", run by its shell"
	case peer.Born(host[0].PID) && !r.isUnmarkedClient(host):
		return filepath.Base(host[0].Exe) + ", cut off from it"
	}
	return r.Inside(host[1:])
}

// host returns the client that ran a hook, and the client's ancestors. It skips all hook
// binaries at the head: a hook may have left the call to a copy of itself.
func (r *Register) host(line []peer.Process) []peer.Process {
	for len(line) > 0 && r.IsHook(line[0].Exe) {
		line = line[1:]
	}
	return line
}

// replacedShell reports whether a shell of the client became p. A hook that the client itself
// started has no lower birthmark than the client.
func replacedShell(p, client peer.Process) bool { return peer.Level(p.PID) < peer.Level(client.PID) }

// Nested reports whether the client that ran a hook descends from another session, whether a
// session ran the hook itself, or whether one of both is traced. No person typed a prompt of such
// a client.
func (r *Register) Nested(line []peer.Process, client int) bool {
	host := r.host(line)
	if len(host) == 0 || host[0].PID != client {
		return peer.Supported // another process ran the hook: the named client is false
	}
	return r.sessionAbove(line[0], host) != "" || Traced(line[:len(line)-len(host)+1]) != ""
}

// WasUnmarked reports whether the client that ran a hook had no birthmark before Afar gave it one.
// A client that has one from its start was started by a session, or by a runner. client is the
// client's process id as the hook gives it. It counts only if that process ran the hook.
func (r *Register) WasUnmarked(line []peer.Process, client int) bool {
	host := r.host(line)
	if len(host) == 0 || host[0].PID != client || client <= 1 || host[0].Born == "" {
		return false
	}
	return !peer.Born(client) || r.isUnmarkedClient(host)
}

// isUnmarkedClient reports whether a process that has a birthmark has it from Afar alone: it is a
// client that had none before, or the runner of a turn, or the client that a runner started. host
// is the process and its ancestors. A client has the level that Afar gave it; a process of a
// session can lower it further, and its shells could then not be told from it.
func (r *Register) isUnmarkedClient(host []peer.Process) bool {
	if r.IsRunner(host[0]) {
		return true
	}
	if peer.Level(host[0].PID) != birthmark.Client {
		return false
	}
	client := session.Process{PID: host[0].PID, Born: host[0].Born}
	return r.Known.WasUnmarked(client) || len(host) > 1 && r.IsRunner(host[1])
}

// Traced says which process of a line is traced by another one, "" for none.
func Traced(line []peer.Process) string {
	for _, p := range line {
		if p.PID <= 1 {
			continue
		}
		if tracer := peer.Tracer(p.PID); tracer != 0 {
			by, _ := peer.Glance(tracer) // its name only helps
			return fmt.Sprintf("process %d (%s) is traced by process %d (%s)", p.PID, filepath.Base(p.Exe), tracer,
				cmp.Or(filepath.Base(by.Exe), "unknown"))
		}
	}
	return ""
}
