package hook

import "github.com/afar-sh/afar/coordinator/peer"

// born returns when a client began, "" if that is unknown. It looks in the line of the
// hook first, where the client mostly is.
func born(line []peer.Process, client int) string {
	for _, p := range line {
		if p.PID == client {
			return p.Born
		}
	}
	if client <= 1 {
		return ""
	}
	return peer.Birth(client)
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
