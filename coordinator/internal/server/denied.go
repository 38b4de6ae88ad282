package server

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// retry says whether this call, which auto mode refused before, may run once.
// The hook's guard had no opinion on it.
func (s *Server) retry(c *call) (any, error) {
	h, p, err := s.hookCall(c, session.Working)
	if err != nil || s.silent(h) {
		return wire.AskReply{}, err
	}
	_, hash, err := ask.Input(p.Tool, p.Input)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	a, ok, err := s.cfg.Core.TakeRetry(ask.Ask{Session: p.Session, Tool: p.Tool, Hash: hash, Kind: ask.Denied})
	if ok && err == nil {
		s.again(c.ctx, h, p, a.ID)
	}
	return wire.AskReply{ID: string(a.ID), State: string(a.State), Allow: ok}, err
}
