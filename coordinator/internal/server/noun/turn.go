package noun

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// turnStop ends the running turn of a session for its person.
func (s *Server) turnStop(c *door.Call, v session.Session) (out wire.TurnStopReply, err error) {
	said, err := s.cfg.Core.StopTurn(string(v.ID), ask.Decision{By: c.Decider(), Channel: c.Channel()})
	return wire.TurnStopReply{Text: said.Words()}, err
}
