package hook

import (
	"cmp"
	"context"
	"slices"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/turn"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stop asks core whether a session may stop, and returns the decision. Before that it
// looks up what the decision needs. turn.Decide makes the decision.
func (s *Server) stop(c *door.Call, p payload, in wire.StopRequest) (out wire.StopReply, err error) {
	if err := s.settlePrompts(p.Session); err != nil {
		return out, err
	}
	facts := s.stopping(c, in, p)
	need, err := s.cfg.Core.StopNeeds(facts)
	if err == nil {
		err = s.lookUp(c, p, need, &facts)
	}
	if err != nil {
		return out, err
	}
	decided, err := s.cfg.Core.Stop(facts)
	if err != nil {
		return out, err
	}
	c.Then(s.cfg.Core.Publish)
	if decided.Step != nil && need.Later != "" {
		c.Then(func() { c.Go(func() { s.seeTree(p.Session, need.Later) }) })
	}
	return s.stopReply(decided, p.Cwd), nil
}

// settlePrompts ends the submitted texts that the transcript of a session already has. The hook that
// saw such a prompt found no coordinator.
func (s *Server) settlePrompts(id session.ID) error {
	for _, prompt := range s.cfg.Core.SubmittedPrompts(id) {
		if held, _ := s.cfg.Holds(prompt.Transcript, prompt.Text, prompt.At); held {
			if err := s.cfg.Core.SettlePrompt(prompt, message.Proof{Arrived: true, Sure: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopping returns what the hook's call says about the stop.
func (s *Server) stopping(c *door.Call, in wire.StopRequest, p payload) core.Stopping {
	facts := core.Stopping{
		Session:  p.Session,
		Off:      in.Off,
		Agents:   p.HasAgents(),
		Delivery: in.Delivery,
		Terminal: claude.AtTerminal(in.Entrypoint),
		Hold:     s.cfg.Hold,
		Loop: loop.Stopping{
			ID: stopID(in), FirstOfTurn: !p.Blocked, Message: p.Message, Check: checkResult(in.Checked),
		},
		CheckIn: ask.Ask{ID: ask.ID(in.Ask)},
	}
	facts.Shells, facts.Loop.Background = shells(p)
	if s.cfg.Hold > 0 {
		facts.Holder = c.Process()
	}
	return facts
}

// lookUp adds to in what the decision needs from outside core.
func (s *Server) lookUp(c *door.Call, p payload, need turn.Need, in *core.Stopping) error {
	if need.CheckIn {
		said := cmp.Or(p.Message, "(it said nothing)")
		in.CheckIn = ask.NewCheckIn(in.CheckIn.ID, p.Session, said, p.Cwd)
	}
	in.Work = s.cfg.Place.Tree(c.Ctx, need.Work)
	if !need.Loop {
		return nil
	}
	in.Loop.Tree = s.cfg.Place.Tree(c.Ctx, need.Tree)
	if in.Loop.Read = need.Read; need.Spent {
		in.Loop.Spent, in.Loop.Read = s.cfg.Place.Usage(p.Transcript, need.Read)
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err == nil {
		in.Page = s.cfg.LoopPage(v.Token) // last: the person may be editing it
	}
	return err
}

// stopReply returns the outcome as the reply to the hook.
func (s *Server) stopReply(out turn.Outcome, cwd string) wire.StopReply {
	return wire.StopReply{
		Block:    out.Block != "",
		Reason:   out.Block,
		Notice:   out.Notice,
		Check:    s.wireCheck(out.Check, out.Session.ID, out.Session.Token, cwd),
		Errand:   out.Errand,
		Texts:    out.Texts,
		ParkedMS: out.Parked.Milliseconds(),
		HoldMS:   out.Hold.Milliseconds(),
	}
}

// parkedWait holds a Stop hook until a new OpStop may get another reply.
func (s *Server) parkedWait(c *door.Call, p payload, in wire.ParkedWaitRequest) (out wire.None, err error) {
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	s.cfg.Core.AwaitLate(ctx, p.Session)
	return out, nil
}

// seeTree records the work tree after the reply, when nobody waits for it. A tool call
// already shows that the iteration changed something; the next iteration is compared with
// this tree.
func (s *Server) seeTree(id session.ID, dir string) {
	tree := s.cfg.Place.Tree(context.Background(), dir) // the hook that stopped is gone
	if err := s.cfg.Core.SeeTree(id, tree); err != nil {
		s.cfg.Log.Error("note the work tree of a loop", "err", err)
	}
}

func (s *Server) stopFailure(_ *door.Call, p payload, _ wire.StopFailureRequest) (out wire.None, err error) {
	why := text.Fold(p.Error + ": " + redact.Mask(p.Message))
	return out, s.cfg.Core.LimitLoop(p.Session, why, slices.Contains(temporary, p.Error))
}

// temporary lists the host's words for a refusal that ends by itself. Every other refusal
// needs a person, to fix a key or a bill or to choose another model.
var temporary = []string{"rate_limit", "overloaded", "server_error", "unknown"}
