package server

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// wasUnmarked reports whether the client that ran a hook had no birthmark before Afar gave it one.
// A client that has one from its start was started by a session, or by a runner. client is the
// client's process id as the hook gives it. It counts only if that process ran the hook.
func (s *Server) wasUnmarked(line []peer.Process, client int) bool {
	host := s.host(line)
	if len(host) == 0 || host[0].PID != client || client <= 1 || host[0].Born == "" {
		return false
	}
	return !peer.Born(client) || s.isUnmarkedClient(host)
}

// isUnmarkedClient reports whether a process that has a birthmark has it from Afar alone: it is a
// client that had none before, or the runner of a turn, or the client that a runner started. host
// is the process and its ancestors. A client has the level that Afar gave it; a process of a
// session can lower it further, and its shells could then not be told from it.
func (s *Server) isUnmarkedClient(host []peer.Process) bool {
	if s.isRunner(host[0]) {
		return true
	}
	if peer.Level(host[0].PID) != birthmark.Client {
		return false
	}
	client := session.Process{PID: host[0].PID, Born: host[0].Born}
	return s.cfg.Core.WasUnmarked(client) || len(host) > 1 && s.isRunner(host[1])
}

// mark gives a client its birthmark, which is recorded before. All that the client starts later
// inherits it, also where a session's shell does not mark itself.
func (s *Server) mark(client int) {
	if s.cfg.Mark == nil || peer.Born(client) {
		return
	}
	if err := s.cfg.Mark(client); err != nil {
		s.cfg.Log.Warn("give a client its birthmark", "process", client, "err", err)
	}
}

// insideError returns the error for a decision of a line that is inside a session. It tells a
// person whose terminal or browser has the birthmark where they can decide.
func (s *Server) insideError(line []peer.Process) error {
	for _, p := range line {
		if p.Marked || p.PID > 1 && s.cfg.Core.IsClient(p.PID) {
			return fmt.Errorf("%w: a session may not decide for its person; do it from a terminal of your own", errDenied)
		}
	}
	return fmt.Errorf("%w: a session may not decide for its person, and this process has a birthmark: a session "+
		"started it, or one of its ancestors. Decide in a new terminal that no session started, or on the "+
		"phone. `afar doctor` names the terminals and browsers that have a birthmark", errDenied)
}

// traced says which process of a line is traced by another one, "" for none.
func traced(line []peer.Process) string {
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
