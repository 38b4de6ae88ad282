package hook

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// messageTake gives the texts that wait for a session to the hook that is about to print
// them.
func (s *Server) messageTake(c *door.Call, in wire.MessageTakeRequest) (out wire.MessageTakeReply, err error) {
	if in.Delivery == "" {
		return out, door.BadRequest("a delivery needs a name")
	}
	if in.Prompt {
		return s.submit(c, in)
	}
	p, err := s.hookCall(c, in.HookCall, session.Working)
	if err != nil {
		return out, err
	}
	if p.Event == hookinput.Stop {
		if left, err := s.cfg.Core.LeaveToMod(p.Session); left || err != nil {
			return out, err
		}
	}
	taker := session.Process{}
	if in.Receipt {
		taker = c.Process()
	}
	d, err := s.cfg.Core.Deliver(p.Session, in.Delivery, taker)
	if err == nil && d.Text != "" && taker.Known() {
		c.OnReceipt(func(yes bool) error { return s.cfg.Core.TextsPrinted(p.Session, in.Delivery, yes) })
	}
	return wire.MessageTakeReply{Text: d.Text, By: strings.Join(d.By, ", "), Texts: d.Left, Again: d.Again}, err
}

// submit gives a text to the mod of a session, which submits it as a prompt of the person.
func (s *Server) submit(c *door.Call, in wire.MessageTakeRequest) (out wire.MessageTakeReply, err error) {
	p, err := s.speaker(c, in.HookCall)
	if err != nil || s.silent(in.HookCall) {
		return out, err
	}
	out.Text, err = s.cfg.Core.Submit(p.Session, in.Delivery, c.Process())
	if err == nil && out.Text != "" {
		c.OnReceipt(func(yes bool) error { return s.cfg.Core.TextsPrinted(p.Session, in.Delivery, yes) })
	}
	return out, err
}

// batch says how many texts wait for a session whose tools have just run.
func (s *Server) batch(_ *door.Call, p payload, in wire.BatchRequest) (out wire.BatchReply, err error) {
	if p.Agent != "" {
		return out, nil
	}
	if r, _ := s.cfg.Core.RunOf(p.Session); in.Refused && r.Walled() {
		out.Context = wallStopped
	}
	out.Texts, err = s.cfg.Core.ComesBack(p.Session, in.Delivery)
	return out, err
}

// printed records that a hook has printed what it took. The hook took it from an earlier
// coordinator, which died before the hook could tell it.
func (s *Server) printed(c *door.Call, in wire.PrintedRequest) (out wire.None, err error) {
	if in.Ask != "" {
		id, err := s.ownAsk(c, in.Ask)
		if err != nil {
			return out, err
		}
		return out, s.cfg.Core.AskPrinted(id, true)
	}
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
	return out, s.cfg.Core.TextsPrinted(p.Session, in.Delivery, true)
}

// rewake holds the hook that waits in the background to wake its session. Only the hook
// that came last waits.
func (s *Server) rewake(c *door.Call, in wire.RewakeRequest) (out wire.RewakeReply, err error) {
	if in.Delivery == "" {
		return out, door.BadRequest("a waiter needs a name")
	}
	if in.Prompt {
		return s.awaitPrompt(c, in)
	}
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
	if in.Take == wire.TakeOver {
		if err := s.cfg.Core.TakeOver(p.Session, in.Delivery, c.Process()); err != nil {
			return out, err
		}
	}
	if in.Off {
		return wire.RewakeReply{Wake: core.End}, nil
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	out.Wake, out.Reason = s.cfg.Core.AwaitWake(ctx, p.Session, in.Delivery)
	return out, nil
}

// awaitPrompt holds the process with which the mod of a session waits for a text.
func (s *Server) awaitPrompt(c *door.Call, in wire.RewakeRequest) (out wire.RewakeReply, err error) {
	p, err := s.speaker(c, in.HookCall)
	if err != nil {
		return out, err
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	out.Wake, err = s.cfg.Core.AwaitPrompt(ctx, p.Session, c.Process())
	return out, err
}
