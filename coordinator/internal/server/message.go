package server

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// messageTake hands what waits for a session to the hook that is about to print
// it.
func (s *Server) messageTake(c *call) (any, error) {
	h, p, err := s.hookCall(c, session.Working)
	if err != nil {
		return nil, err
	}
	if h.Delivery == "" {
		return nil, badRequest("a delivery needs a name")
	}
	d, err := s.cfg.Core.Deliver(p.Session, h.Delivery)
	return wire.HookReply{Text: d.Text, By: strings.Join(d.By, ", "), Texts: d.Left}, err
}

// rewake holds the hook that waits in the background to wake its session. The
// last one to come is the one that waits.
func (s *Server) rewake(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	if h.Delivery == "" {
		return nil, badRequest("a waiter needs a name")
	}
	if h.Verb == wire.TakeOver {
		if err := s.cfg.Core.TakeOver(p.Session, h.Delivery, caller(c)); err != nil {
			return nil, err
		}
	}
	if h.Off {
		return wire.HookReply{Wake: core.End}, nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(h.WaitMS))
	defer cancel()
	answer, reason := s.cfg.Core.AwaitWake(ctx, p.Session, h.Delivery)
	return wire.HookReply{Wake: answer, Reason: reason}, nil
}
