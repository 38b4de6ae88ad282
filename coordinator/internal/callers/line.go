package callers

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/peer"
)

// A client is a program that runs hooks, with its ancestors, nearest first. It stays the
// same process over an exec.
type client struct {
	hold peer.Hold
	line []peer.Process
}

// maxClients bounds the clients that are remembered. A forgotten one is looked up again.
const maxClients = 256

// maxHooks bounds the chain of hooks that left a call to a copy of themselves.
const maxHooks = 8

// Line returns the caller and its ancestors, like peer.Line, but at less cost: a hook
// waits for it. It does not look whether one of Afar's hooks is marked: no hook
// takes a decision. It looks up the ancestors of a hook's client only once, so they may
// be out of date: look them up again before a refusal (see forget). For any other caller
// nothing is remembered.
func (r *Register) Line(pid int) (line []peer.Process) {
	for range maxHooks {
		if host, ok := r.remembered(pid); ok && len(line) > 0 {
			return append(line, host...)
		}
		p, err := peer.Glance(pid)
		switch {
		case err != nil:
			return line
		case r.IsHook(p.Exe):
			line = append(line, p)
			pid = p.Parent
		case len(line) == 0:
			return peer.Line(pid)
		default:
			return append(line, r.remember(pid)...)
		}
	}
	return line
}

// remembered returns a client and its ancestors if they were looked up before and the
// client still runs.
func (r *Register) remembered(pid int) ([]peer.Process, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.clients[pid]
	if !ok || c.hold.Over() {
		return nil, false
	}
	return c.line, true
}

// remember looks up the client with a process id and its ancestors, and keeps them for
// as long as that client runs.
func (r *Register) remember(pid int) []peer.Process {
	hold, err := peer.Take(pid)
	line := peer.Line(pid)
	if err != nil {
		return line
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for old := range r.clients {
		if r.clients[old].hold.Over() || old == pid || len(r.clients) >= maxClients {
			r.drop(old)
		}
	}
	if r.clients == nil {
		r.clients = map[int]client{}
	}
	r.clients[pid] = client{hold, slices.Clip(line)}
	return line
}

// drop forgets a client; r.mu is held.
func (r *Register) drop(pid int) {
	r.clients[pid].hold.Release()
	delete(r.clients, pid)
}

// forget drops what was remembered of a line's client, and reports whether there was
// anything. An ancestor of the client may have ended since, and another process may have
// its id.
func (r *Register) forget(line []peer.Process) bool {
	host := r.host(line)
	if len(host) == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.clients[host[0].PID]
	if ok {
		r.drop(host[0].PID)
	}
	return ok
}
