package hook

import (
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// turn says whether the running turn of a session is to end. A hook that ends the turn of
// the main agent sets Over in its request.
func (s *Server) turn(_ *door.Call, p payload, in wire.TurnRequest) (out wire.TurnReply, err error) {
	by, err := s.cfg.Core.Halted(p.Session, in.Over == wire.TurnOver && p.Agent == "")
	return wire.TurnReply{Block: by != "", Reason: stoppedBy(by)}, err
}

// stoppedBy returns what a session is told when a person ends its turn.
func stoppedBy(by string) string {
	if by == "" {
		return ""
	}
	return by + " stopped this turn. Do nothing more, and wait for what they say next."
}
