package server

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
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
	taker := session.Process{}
	if h.Receipt {
		taker = caller(c)
	}
	d, err := s.cfg.Core.Deliver(p.Session, h.Delivery, taker)
	if err == nil && d.Text != "" && taker.Known() {
		c.printed = func(yes bool) error { return s.cfg.Core.TextsPrinted(p.Session, h.Delivery, yes) }
	}
	return wire.HookReply{Text: d.Text, By: strings.Join(d.By, ", "), Texts: d.Left, Again: d.Again}, err
}

// batch says how many texts wait for a session whose tools have just run.
func (s *Server) batch(c *call) (any, error) {
	h, p, err := s.hookCall(c, session.Working)
	if err != nil || s.silent(h) || p.Agent != "" {
		return wire.HookReply{}, err
	}
	texts, err := s.cfg.Core.ComesBack(p.Session, h.Delivery)
	return wire.HookReply{Texts: texts}, err
}

// printed takes in that a hook has printed what it took from a coordinator that died
// before it could be told.
func (s *Server) printed(c *call) (any, error) {
	h, err := decode[wire.HookCall](c.body)
	if err != nil {
		return nil, badRequest("hook call: %v", err)
	}
	if h.Ask != "" {
		if h, err = s.askCall(c); err != nil {
			return nil, err
		}
		return wire.AskReply{ID: h.Ask}, s.cfg.Core.AskPrinted(ask.ID(h.Ask), true)
	}
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	return wire.HookReply{}, s.cfg.Core.TextsPrinted(p.Session, h.Delivery, true)
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
