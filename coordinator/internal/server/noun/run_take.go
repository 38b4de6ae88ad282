package noun

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// runTake takes a run to the terminal of the caller. A turn that runs ends first.
func (s *Server) runTake(c *door.Call, in wire.RunTakeRequest) (out wire.RunTakeReply, err error) {
	r, err := s.runNamed(in.ID)
	if err == nil {
		err = c.AllowTerminal()
	}
	if err != nil {
		return out, err
	}
	if err := s.hasClient(r.Agent); err != nil {
		return out, err
	}
	by := run.Taker{By: c.Decider(), Process: c.Process()}
	if r.State != run.Taken && !r.Busy() {
		if where := s.cfg.Runs.Open(r.Conversation); where != "" {
			return out, fmt.Errorf("%w in %s; close it first", run.ErrOpen, where)
		}
	}
	if r, err = s.cfg.Core.TakeRun(r.ID, by, in.Now); err != nil {
		return out, err
	}
	ctx, cancel := c.Wait(in.WaitMS)
	defer cancel()
	if r, err = s.cfg.Core.AwaitTurn(ctx, r.ID); err != nil {
		return out, err
	}
	out.Run = s.wireRun(r)
	if out.Taken = r.State == run.Taken && r.Taker.Process == by.Process; out.Taken {
		out.Fence = r.Fence
		out.Session, err = s.turnOf(r)
		out.Session.Resumes = true
	}
	return out, err
}

// hasClient returns an error unless an agent has a client for a terminal.
func (s *Server) hasClient(agent string) error {
	_, can, err := s.agentOf(agent)
	if err == nil && !can.Terminal {
		err = door.BadRequest("%s has no client that can continue a conversation in a terminal", agent)
	}
	return err
}

// runGive hands a run back. It refuses while a process has the conversation.
func (s *Server) runGive(c *door.Call, r run.Run) (out wire.Run, err error) {
	if where := s.heldIn(c, r); r.State == run.Taken && where != "" {
		return out, fmt.Errorf("%w in %s; end that first", run.ErrOpen, where)
	}
	r, err = s.cfg.Core.GiveRun(r.ID, c.Decider())
	return s.wireRun(r), err
}

// heldIn returns which process has the conversation of a run that was taken, in words, "" for
// none. The caller itself does not count: it has ended the agent's client.
func (s *Server) heldIn(c *door.Call, r run.Run) string {
	if where := s.cfg.Runs.Open(r.Conversation); where != "" {
		return where
	}
	if p := r.Taker.Process; p.Known() && p != c.Process() && s.cfg.Core.Lives(p) {
		return fmt.Sprintf("the terminal of %s (process %d)", r.Taker.By, p.PID)
	}
	return ""
}

// runAdopt makes a run of a conversation on the disk that no process has open.
func (s *Server) runAdopt(c *door.Call, in wire.RunAdoptRequest) (out wire.Run, err error) {
	if err := s.checkSupported(); err != nil {
		return out, err
	}
	if err := host.CheckConversation(in.Conversation); err != nil {
		return out, door.BadRequest("%v", err)
	}
	dir, ok := s.cfg.Runs.Find(in.Conversation)
	if !ok {
		return out, door.BadRequest("no conversation %s is on this machine; its id is the name of its file in "+
			"~/.claude/projects", in.Conversation)
	}
	if where := s.cfg.Runs.Open(in.Conversation); where != "" {
		return out, fmt.Errorf("%w in %s; end that first", run.ErrOpen, where)
	}
	start := wire.RunStartRequest{ID: in.ID, Agent: in.Agent, Name: in.Name, Dir: dir, Mode: in.Mode, Model: in.Model}
	if in.Dir != "" {
		start.Dir = in.Dir
	}
	r, err := s.newRun(c.Ctx, c.Decider(), start, in.Conversation)
	if err != nil {
		return out, err
	}
	r, err = s.cfg.Core.AdoptRun(r)
	return s.wireRun(r), err
}
