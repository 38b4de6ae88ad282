package server

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// turn says whether the running turn of a session is to end. The hook that ends the
// turn of the main agent says so.
func (s *Server) turn(c *call) (any, error) {
	h, p, err := s.hookCall(c, session.Working)
	if err != nil {
		return nil, err
	}
	by, err := s.cfg.Core.Halted(p.Session, h.Verb == wire.TurnOver && p.Agent == "")
	return wire.HookReply{Block: by != "", Reason: stoppedBy(by)}, err
}

// stoppedBy is what a session is told of the end of its turn.
func stoppedBy(by string) string {
	if by == "" {
		return ""
	}
	return by + " stopped this turn. Do nothing more, and wait for what they say next."
}

// turnStop ends the running turn of a session for its person.
func (s *Server) turnStop(c *call) (any, error) {
	v, err := s.named(c)
	if err != nil {
		return nil, err
	}
	text, err := s.cfg.Core.StopTurn(string(v.ID), ask.Decision{By: localUser(), Channel: terminal})
	return wire.Said{Text: text}, err
}
