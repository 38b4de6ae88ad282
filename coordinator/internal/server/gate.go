package server

import (
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/place"
	"github.com/afar-sh/afar/coordinator/wire"
)

// subagentStop books what an agent took for a loop, and holds a reviewer to what
// a review needs. The stop of a compaction has no agent type and says nothing.
func (s *Server) subagentStop(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil || p.AgentType == "" {
		return wire.HookReply{}, err
	}
	if l := s.cfg.Core.Loop(p.Session); p.AgentTranscript != "" && l.Active() {
		sum, end := s.cfg.Usage(p.AgentTranscript, l.ReadOf(p.Agent))
		err = s.cfg.Core.SpendLoop(p.Session, sum, loop.AgentRead{Agent: p.Agent, Read: end})
	}
	if err != nil || s.silent(h) || !place.ReadsOnly(p.AgentType) {
		return wire.HookReply{}, err
	}
	r, err := s.cfg.Core.ReviewerStops(p.Session, p.Agent, p.Message)
	if err != nil {
		return wire.HookReply{}, err
	}
	notice := ""
	if r.Kind != event.GateBlocked {
		notice = r.Tell
	}
	return wire.HookReply{Block: r.Block != "", Reason: r.Block, Notice: notice}, nil
}
