package server

import (
	"github.com/afar-sh/afar/coordinator/internal/peer"
)

// An origin is a program that runs hooks, as the kernel tells it from others. It
// keeps its name over an exec: what it descends from stays the same.
type origin struct {
	pid, parent int
	started     uint64
}

func nameOf(p peer.Process) origin { return origin{p.PID, p.Parent, p.Started} }

// maxClients bounds what is remembered; all of it is found again.
const maxClients = 256

// line is peer.Line of a caller. What the client of a hook descends from is looked
// up once: it would be half of what a hook waits for. So a refusal must not be
// founded on it (see forget), and of any other caller nothing is remembered.
func (s *Server) line(pid int) (line []peer.Process) {
	for p := range peer.Walk(pid) {
		line = append(line, p)
		if len(s.host(line)) != 1 || len(line) == 1 {
			continue
		}
		if rest, ok := s.remembered(p); ok {
			return append(line, rest...)
		}
	}
	if host := s.host(line); len(host) > 0 && len(host) < len(line) && host[0].Started != 0 {
		s.remember(host)
	}
	return line
}

func (s *Server) remembered(p peer.Process) ([]peer.Process, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, ok := s.from[nameOf(p)]
	return rest, ok
}

func (s *Server) remember(host []peer.Process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.from) >= maxClients {
		clear(s.from)
	}
	s.from[nameOf(host[0])] = host[1:len(host):len(host)]
}

// forget reports whether something was remembered of a line's client: it may be
// over, and another process have one of the ids.
func (s *Server) forget(line []peer.Process) bool {
	host := s.host(line)
	if len(host) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.from[nameOf(host[0])]
	delete(s.from, nameOf(host[0]))
	return ok
}
