package hook

import "github.com/afar-sh/afar/coordinator/wire"

// opening returns what a session is told about memory when it begins, or begins again without
// its history. A run and a session that nobody has opened are told nothing.
func (s *Server) opening(in wire.HookCall, p payload) (string, error) {
	v, err := s.cfg.Core.Session(string(p.Session))
	_, isRun := s.cfg.Core.RunOf(p.Session)
	if err == nil && isRun {
		return s.wallTold(p.Session), nil
	}
	if err != nil || !in.Attended || p.Source == "resume" {
		return "", err
	}
	return s.cfg.Opening(v.Project), nil
}
