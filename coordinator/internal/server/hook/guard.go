package hook

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) guarded(c *door.Call, p payload, in wire.GuardedRequest) (out wire.GuardedReply, err error) {
	if in.Verdict == wire.PolicyBroken {
		out.Notice, err = s.policyBroken(p, in.Broken)
		return out, err
	}
	if in.Verdict == wire.Bounded {
		return s.bounded(c, in, p)
	}
	text := guardText(in, p)
	if in.Verdict != "deny" {
		return out, s.cfg.Core.Note(event.GuardSpoke, p.Session, in.Rule, text)
	}
	c.Then(func() { s.deniedOutward(in, p) })
	times, err := s.cfg.Core.Denied(p.Session, p.PromptID, in.Rule, text)
	if err != nil {
		return out, err
	}
	if out.Context = s.giveUp(p.Session); out.Context != "" || times < session.DenyLoop {
		return out, nil
	}
	return wire.GuardedReply{Context: fmt.Sprintf(
		"This is refusal number %d by the rule %s in this turn, so stop trying. "+
			"Write down in your answer what you need and why, and go on with what does not depend on it.",
		times, in.Rule)}, nil
}

// bounded lets a call go on about which the guard asks, if its turn is behind a wall and what the call may
// destroy there was saved. Otherwise the person is asked.
func (s *Server) bounded(c *door.Call, in wire.GuardedRequest, p payload) (out wire.GuardedReply, err error) {
	r, _ := s.cfg.Core.RunOf(p.Session) // the zero run has no wall
	if !r.Walled() || s.silent(in.HookCall) {
		return out, nil
	}
	v, err := s.snapshot(c.Ctx, in.Project, p)
	if err != nil || v.State != undo.Ready {
		return out, err
	}
	out.Passes = true
	return out, s.cfg.Core.Note(event.GuardSpoke, p.Session, in.Rule, guardText(in, p)+" · behind its wall, "+v.Line())
}

// giveUp returns what a session is told after too many refusals in a row, if it is the run of a
// task, and else "".
func (s *Server) giveUp(id session.ID) string { return task.GiveUp(s.cfg.Core.TaskRefusals(id)) }

// maxJudged bounds the input that is masked for the journal, in bytes. The hook waits for
// the masking.
const maxJudged = 16 << 10

// guardText returns the journal's text for the guard's opinion on a call. It names the
// part that the opinion is about, and the whole call if that says more.
func guardText(in wire.GuardedRequest, p payload) string {
	part := text.Fold(redact.Clean(in.Part))
	said := "guard: " + in.Verdict + " " + p.Tool + " (" + in.Rule + "): " + part
	if in.From != "" {
		said += " by " + text.Fold(in.From)
	}
	if len(p.Input) > maxJudged {
		return said
	}
	call, err := toolInput(p)
	if err != nil {
		return said
	}
	if line := strings.TrimPrefix(ask.Line(p.Tool, call.Text("")), p.Tool+" "); line != part {
		said += " · in: " + line
	}
	return said
}

// policyBroken records what is wrong with the guard's policy files. The first time it
// returns that as a notice for the terminal, afterwards "".
func (s *Server) policyBroken(p payload, broken string) (notice string, err error) {
	fresh, err := s.cfg.Core.PolicyBroken(p.Session, text.Fold(redact.Clean(broken)))
	if err != nil || !fresh {
		return "", err
	}
	return broken, nil
}

func (s *Server) outcome(_ *door.Call, p payload, in wire.OutcomeRequest) (out wire.None, err error) {
	if wire.ReadsOnly(p.AgentType) {
		s.opinions.Returned(p.Session, p.ToolUse)
	}
	if err := s.pastGuard(in, p); err != nil {
		return out, err
	}
	call, err := toolInput(p)
	if err != nil {
		return out, err
	}
	o := ask.Outcome{
		Session: p.Session, Prompt: p.PromptID, Agent: p.Agent, Tool: p.Tool, Hash: call.Hash(),
		Run: ask.Run{OK: in.OK, Took: time.Duration(p.DurationMS) * time.Millisecond},
	}
	s.ranOutward(in, p, o)
	return out, s.cfg.Core.Ran(o)
}
