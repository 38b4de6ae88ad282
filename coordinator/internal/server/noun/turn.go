package noun

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// turnStop ends the running turn of a session for its person.
func (s *Server) turnStop(c *door.Call, in wire.Named) (out wire.TurnStopReply, err error) {
	v, err := s.named(in.ID)
	if err != nil {
		return out, err
	}
	said, err := s.cfg.Core.StopTurn(string(v.ID), ask.Decision{By: c.Decider(), Channel: c.Channel()})
	return wire.TurnStopReply{Text: said.Words()}, err
}
