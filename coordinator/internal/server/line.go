package server

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/peer"
)

// A client is a program that runs hooks, with what it descends from, nearest first.
// It stays the same over an exec.
type client struct {
	hold peer.Hold
	line []peer.Process
}

// maxClients bounds what is remembered; all of it is found again.
const maxClients = 256

// maxHooks bounds the copies of a hook that left a call to one another.
const maxHooks = 8

// line is peer.Line of a caller, as cheap as it can be had: a hook waits for it.
// Nobody looks whether a hook of ours is marked (see allowPerson), and what its
// client descends from is looked up once, so a refusal must not be founded on it
// (see forget). Of any other caller nothing is remembered.
func (s *Server) line(pid int) (line []peer.Process) {
	for range maxHooks {
		if host, ok := s.remembered(pid); ok && len(line) > 0 {
			return append(line, host...)
		}
		p, err := peer.Glance(pid)
		switch {
		case err != nil:
			return line
		case ourHook(p.Exe, s.cfg.Bin):
			line = append(line, p)
			pid = p.Parent
		case len(line) == 0:
			return peer.Line(pid)
		default:
			return append(line, s.remember(pid)...)
		}
	}
	return line
}

func (s *Server) remembered(pid int) ([]peer.Process, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.clients[pid]
	if !ok || c.hold.Over() {
		return nil, false
	}
	return c.line, true
}

// remember looks up what the client with an id descends from. It is the same one
// all the while if that has not ended.
func (s *Server) remember(pid int) []peer.Process {
	hold, err := peer.Take(pid)
	line := peer.Line(pid)
	if err != nil {
		return line
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for old := range s.clients {
		if s.clients[old].hold.Over() || old == pid || len(s.clients) >= maxClients {
			s.drop(old)
		}
	}
	s.clients[pid] = client{hold, slices.Clip(line)}
	return line
}

// drop forgets a client; s.mu is held.
func (s *Server) drop(pid int) {
	s.clients[pid].hold.Release()
	delete(s.clients, pid)
}

// forget reports whether something was remembered of a line's client: what that
// descends from may be over, and another process have one of the ids.
func (s *Server) forget(line []peer.Process) bool {
	host := s.host(line)
	if len(host) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.clients[host[0].PID]
	if ok {
		s.drop(host[0].PID)
	}
	return ok
}
