package hook

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// reviewTyped answers /afar:review. The work that exists when the gate is switched on
// needs no review.
func (s *Server) reviewTyped(c *door.Call, p payload) (out wire.ExpandReply, err error) {
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return out, err
	}
	switch strings.ToLower(strings.TrimSpace(p.CommandArgs)) {
	case "":
		return blocked("Review gate: " + text.OnOff(v.Review.On) + ". /afar:review on or off changes it."), nil
	case "off":
		return blocked("The review gate is off in this session."), s.cfg.Core.SetReview(p.Session, false, "")
	case "on":
	default:
		return blocked("Say it like this: /afar:review on, or off"), nil
	}
	if err := s.cfg.Core.SetReview(p.Session, true, s.work(c.Ctx, v)); err != nil {
		return out, err
	}
	return blocked("The review gate is on: this session may stop when alice has reviewed " +
		"what it changed from now on; after three times it may stop without."), nil
}

// reviewPrompt records what a person typed. A word in it may switch the gate.
func (s *Server) reviewPrompt(v session.Session, prompt string) error {
	on, said := session.ReviewWord(prompt)
	if said {
		if err := s.cfg.Core.SetReview(v.ID, on, ""); err != nil {
			return err
		}
	}
	if !on && (said || !v.Review.On) {
		return nil
	}
	return s.cfg.Core.ReviewPrompt(v.ID, redact.Clean(prompt[:min(len(prompt), maxReviewed)]))
}

// maxReviewed bounds the prompt that is masked, in bytes. The hook waits for the masking.
const maxReviewed = 16 << 10

// work returns the digest of the work tree that a session works in, "" for unknown.
func (s *Server) work(ctx context.Context, v session.Session) string {
	return s.cfg.Place.Tree(ctx, s.cfg.Core.Loop(v.ID).WorksIn(v.Cwd))
}

// subagentStart notes that a reviewer begins, and shows it what the person asked for.
func (s *Server) subagentStart(
	c *door.Call, p payload, _ wire.SubagentStartRequest,
) (out wire.SubagentStartReply, err error) {
	if !wire.ReadsOnly(p.AgentType) {
		return out, nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil || !v.Review.On {
		return out, err
	}
	out.Context, err = s.cfg.Core.ReviewerBegins(p.Session, p.Agent, s.work(c.Ctx, v))
	return out, err
}

// subagentStop adds what an agent used to its session's loop, and does not let a reviewer
// stop before its review is complete. It ignores the stop of a compaction, which has no
// agent type.
func (s *Server) subagentStop(
	_ *door.Call, p payload, in wire.SubagentStopRequest,
) (out wire.SubagentStopReply, err error) {
	if p.AgentType == "" {
		return out, nil
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
	if r.Block != "" && s.opinions.Asks(p.Session, p.Agent) {
		r.Block += "\nA consultation of yours still runs. Wait for its answer (`sleep 60`), do not begin another one."
	}
	return wire.SubagentStopReply{Block: r.Block != "", Reason: r.Block, Notice: notice}, nil
}

// agentSpent adds what an agent used since it last stopped to the loop of its session.
func (s *Server) agentSpent(p payload) error {
	l := s.cfg.Core.Loop(p.Session)
	if p.AgentTranscript == "" || !l.Active() {
		return nil
	}
	sum, end := s.cfg.Place.Usage(p.AgentTranscript, l.ReadOf(p.Agent))
	return s.cfg.Core.SpendLoop(p.Session, sum, loop.AgentRead{Agent: p.Agent, Read: end})
}
