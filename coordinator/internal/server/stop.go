package server

import (
	"context"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stop decides whether a session may stop. The order is the product's, and the
// first that applies wins: kill switch, background work that will wake the
// session, the session's loop, a text that waits for it, its review gate, its
// parked calls, the check-in of a person who is away.
func (s *Server) stop(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return wire.HookReply{}, err
	}
	if err := s.cfg.Core.LocallySettled(p.Session, time.Now()); err != nil {
		return wire.HookReply{}, err // at its end a turn has no dialog left
	}
	r, state, err := s.decideStop(c, h, p)
	if err == nil && printsNotice(r) {
		r, err = s.withNotices(p.Session, r)
	}
	if err != nil {
		return wire.HookReply{}, err
	}
	c.then = append(c.then, func() {
		if _, err := s.cfg.Core.See(session.Sighting{ID: p.Session, State: state}); err != nil {
			s.cfg.Log.Error("note that a session stopped", "err", err)
		}
	})
	return r, nil
}

// printsNotice reports whether the hook is done with this reply, and prints its
// notice.
func printsNotice(r wire.HookReply) bool {
	asksAgain := r.Check != nil || r.Errand != "" || r.ParkedMS > 0
	return !asksAgain && r.Texts == 0 && r.HoldMS == 0
}

// decideStop returns the reply and how the session stands after it.
func (s *Server) decideStop(c *call, h wire.HookCall, p payload) (r wire.HookReply, state session.State, err error) {
	if !p.agents() { // a subagent that runs on is to end as well
		if _, err := s.cfg.Core.Halted(p.Session, true); err != nil {
			return r, session.Idle, err
		}
	}
	if s.silent(h) {
		return r, session.Idle, nil
	}
	texts, err := s.cfg.Core.ComesBack(p.Session, h.Delivery)
	if err != nil {
		return r, session.Idle, err
	}
	shells, wakes, err := s.background(p)
	if err != nil || wakes {
		return r, session.Idle, err
	}
	if s.cfg.Core.Loop(p.Session).Active() {
		if r, err = s.stopLoop(c, h, p, shells); err != nil || r.Block || r.Check != nil || r.Errand != "" {
			return r, session.Working, err
		}
	}
	if texts > 0 {
		return wire.HookReply{Texts: texts, Notice: r.Notice}, session.Working, nil
	}
	if r, err = s.stopReview(c, p, r); err != nil || r.Block {
		return r, session.Working, err
	}
	if late, state, err := s.stopParked(h, p, r); err != nil || !h.Attended && !h.Background || late.Block {
		return late, state, err
	}
	return s.checkIn(c, h, p, r)
}

// stopParked sends a session on when its parked calls were answered, and has one
// that nobody attends wait while they may be.
func (s *Server) stopParked(h wire.HookCall, p payload, r wire.HookReply) (_ wire.HookReply, state session.State, err error) {
	r.Reason, err = s.cfg.Core.TellLate(p.Session, h.Delivery, maxLate)
	if err != nil || r.Reason != "" {
		r.Block = r.Reason != ""
		return r, session.Working, err
	}
	if left := s.cfg.Core.ParkedFor(p.Session); left > 0 {
		r.ParkedMS = left.Milliseconds()
		return r, session.Waiting, nil
	}
	return r, session.Idle, nil
}

// parkedWait holds a Stop hook until asking to stop again may get another reply.
func (s *Server) parkedWait(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, min(time.Duration(h.WaitMS)*time.Millisecond, maxWait))
	defer cancel()
	s.cfg.Core.AwaitLate(ctx, p.Session)
	return wire.HookReply{}, nil
}

func (s *Server) stopLoop(c *call, h wire.HookCall, p payload, shells []string) (r wire.HookReply, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, gitFor)
	defer cancel()
	in := loop.Stopping{ID: stopID(h), Message: p.Message, Background: shells, Check: checkResult(h.Checked)}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return r, err
	}
	if err := s.cfg.Core.EditLoop(p.Session, s.cfg.Page(v.Token)); err != nil {
		return r, err
	}
	l := s.cfg.Core.Loop(p.Session)
	if in.Read = l.Read; in.Check == nil {
		in.Spent, in.Read = s.cfg.Usage(p.Transcript, in.Read)
		switch dir := l.WorksIn(p.Cwd); {
		case l.Waits(): // for something of ours: nothing of this stop is judged
		case v.Tools == 0:
			in.Tree = s.cfg.Git.Tree(ctx, dir)
		default:
			c.then = append(c.then, func() { s.calls.Go(func() { s.seeTree(p.Session, dir) }) })
		}
	}
	c.then = append(c.then, s.cfg.Core.Publish)
	out, err := s.cfg.Core.StopLoop(p.Session, in)
	if err != nil {
		return r, err
	}
	return wire.HookReply{Block: out.Block != "", Reason: out.Block, Notice: notice(out), Check: wireCheck(out.Check, v.Token, p.Cwd), Errand: out.Wait}, nil
}

// seeTree looks at the work tree while nobody waits for it: a tool call says
// that an iteration moved, and the tree is what the next one is compared with.
func (s *Server) seeTree(id session.ID, dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor) // the hook that stopped is gone
	defer cancel()
	if err := s.cfg.Core.SeeTree(id, s.cfg.Git.Tree(ctx, dir)); err != nil {
		s.cfg.Log.Error("note the work tree of a loop", "err", err)
	}
}

// checkIn tells a person who is away that the session stopped. Only a terminal
// client is held; a print session ends when it is done. It adds to r.
func (s *Server) checkIn(c *call, h wire.HookCall, p payload, r wire.HookReply) (_ wire.HookReply, state session.State, err error) {
	id := ask.ID(h.Ask)
	if !h.Attended && !h.Background || h.Entrypoint != "cli" || h.Ask == "" || !s.cfg.Core.ChecksIn(id, p.Session) {
		return r, session.Idle, nil
	}
	said := p.Message
	if said == "" {
		said = "(it said nothing)"
	}
	holder := session.Process{}
	if s.cfg.Hold > 0 {
		holder = caller(c)
	}
	hold, err := s.cfg.Core.CheckIn(ask.NewCheckIn(id, p.Session, said, p.Cwd), holder)
	if err != nil || !hold {
		return r, session.Idle, err
	}
	if s.cfg.Hold <= 0 {
		return r, session.Idle, nil
	}
	r.HoldMS = s.cfg.Hold.Milliseconds()
	return r, session.Waiting, nil
}

// checkInOver takes in that a Stop hook gives its session free.
func (s *Server) checkInOver(c *call) (any, error) {
	h, err := s.askCall(c)
	if err != nil {
		return nil, err
	}
	a, err := s.cfg.Core.Release(ask.ID(h.Ask))
	return askReply(a), err
}
