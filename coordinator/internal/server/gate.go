package server

import (
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/wire"
)

// subagentStop books what an agent took for a loop, and holds a reviewer to what
// a review needs. The stop of a compaction has no agent type and says nothing.
func (s *Server) subagentStop(c *call, in wire.SubagentStopRequest) (out wire.SubagentStopReply, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil || p.AgentType == "" {
		return out, err
	}
	if err := s.agentSpent(p); err != nil || s.silent(in.HookCall) || !wire.ReadsOnly(p.AgentType) {
		return out, err
	}
	r, err := s.cfg.Core.ReviewerStops(p.Session, p.Agent, p.Message)
	if err != nil {
		return out, err
	}
	notice := ""
	if r.Kind != event.GateBlocked {
		notice = r.Tell
	}
	if r.Block != "" && s.asksNow(p.Session, p.Agent) {
		r.Block += "\nA consultation of yours still runs. Wait for its answer (`sleep 60`), do not begin another one."
	}
	return wire.SubagentStopReply{Block: r.Block != "", Reason: r.Block, Notice: notice}, nil
}

// agentSpent books what an agent took since it last stopped, for the loop of its
// session.
func (s *Server) agentSpent(p payload) error {
	l := s.cfg.Core.Loop(p.Session)
	if p.AgentTranscript == "" || !l.Active() {
		return nil
	}
	sum, end := s.cfg.Usage(p.AgentTranscript, l.ReadOf(p.Agent))
	return s.cfg.Core.SpendLoop(p.Session, sum, loop.AgentRead{Agent: p.Agent, Read: end})
}
