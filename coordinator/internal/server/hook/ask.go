package hook

import (
	"context"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxAskWait is the longest wait of one call for an answer, after which the hook asks again. Thousands of hooks may
// wait for one, and each call costs.
const maxAskWait = 5 * time.Minute

func (s *Server) askOpen(c *door.Call, p payload, in wire.AskOpenRequest) (out wire.AskState, err error) {
	if in.Ask == "" {
		return out, errNoAskID
	}
	if s.silent(in.HookCall) {
		return wire.AskState{ID: in.Ask, State: string(ask.Cancelled), Message: "Afar is paused"}, nil
	}
	if ask.Kind(in.Kind) == ask.Denied && in.Why == claude.NoClassifier {
		leaves, err := s.cfg.Core.LeaveAuto(p.Session)
		if leaves || err != nil {
			ended := "the turn ends, and goes on in another mode"
			return wire.AskState{ID: in.Ask, State: string(ask.Cancelled), Message: ended}, err
		}
	}
	a, v, err := s.newAsk(in, p)
	if err != nil {
		return out, door.BadRequest("%v", err)
	}
	a.Taker = c.Process()
	if in.Park {
		a, err = s.cfg.Core.Park(a)
	} else {
		a, err = s.cfg.Core.OpenCovered(a, v.Need)
	}
	if err != nil {
		return askState(a), err
	}
	s.snapshotAsked(c.Ctx, p, v, a)
	s.expectHook(a)
	return s.heldState(a)
}

// expectHook takes the hook of an ask for lost unless it waits for the answer soon. Without this the question of a hook
// that is killed before it waits would stay open until it expires.
func (s *Server) expectHook(a ask.Ask) {
	if a.State != ask.Open || a.Hookless() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened[a.ID] != nil {
		return // the hook has asked again
	}
	s.opened[a.ID] = time.AfterFunc(ask.RedialFor, func() {
		if s.hookCame(a.ID) {
			_, _ = s.cfg.Core.LoseAsk(a.ID) // it may have ended meanwhile
		}
	})
}

// hookCame ends the wait for the hook of an ask, and reports whether there was one.
func (s *Server) hookCame(id ask.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.opened[id]
	if t != nil {
		t.Stop()
		delete(s.opened, id)
	}
	return t != nil
}

// heldState returns the state of an ask for its hook. If the ask was parked because nobody
// answered in time, it says whether the host keeps the call for the next turn of its run.
func (s *Server) heldState(a ask.Ask) (out wire.AskState, err error) {
	out = askState(a)
	if a.State == ask.Expired && s.keeps(a) {
		out.Defer, err = s.cfg.Core.DeferAsk(a.ID)
	}
	return out, err
}

// keeps reports whether the agent that asks can keep its call for the next turn of its run.
func (s *Server) keeps(a ask.Ask) bool {
	r, ok := s.cfg.Core.RunOf(a.Session)
	if !ok {
		return false
	}
	set, err := s.cfg.Agent(r.Agent)
	if err != nil {
		return false
	}
	can, err := set.Abilities()
	return err == nil && can.Keeps
}

// maxPart bounds the part of a call that a card's first line shows, in bytes. The line shows no more of a longer one
// than of the call itself.
const maxPart = 4 << 10

// newAsk returns the ask that a hook's call opens, and the call as the guard sees it.
func (s *Server) newAsk(in wire.AskOpenRequest, p payload) (a ask.Ask, v toolcall.Call, err error) {
	if ask.Kind(in.Kind) == ask.Elicitation {
		a, err = elicitation(in.Payload)
	} else {
		a, v, err = s.newCallAsk(in, p)
	}
	a.ID, a.Kind, a.Session, a.Prompt = ask.ID(in.Ask), ask.Kind(in.Kind), p.Session, p.PromptID
	a.Agent, a.AgentType, a.Cwd, a.Attended, a.Background = p.Agent, p.AgentType, p.Cwd, in.Attended, in.Background
	a.Why = text.Fold(redact.Clean(in.Why))
	if a.Why != "" && len(in.Part) <= maxPart {
		a.Part = text.Fold(redact.Clean(in.Part))
	}
	if p.Event != hookinput.PreSkillShellCommand { // the host cannot keep such a command
		a.Call = p.ToolUse
	}
	return a, v, err
}

func elicitation(payload []byte) (ask.Ask, error) {
	r, err := hookinput.ReadElicitation(payload)
	if err != nil {
		return ask.Ask{}, err
	}
	return ask.NewElicitation(r)
}

// newCallAsk returns the ask for a tool call, and the call as the guard sees it. Only a
// permission can be covered by a grant. The person answers everything else each time:
// the guard's own questions, and what only a person can say.
func (s *Server) newCallAsk(in wire.AskOpenRequest, p payload) (a ask.Ask, v toolcall.Call, err error) {
	call, err := hookinput.ReadTool(p.Tool, p.Input)
	if err != nil {
		return a, v, err
	}
	v = s.see(in.Project, p, call)
	if in.Kind != string(ask.Permission) {
		v.Need = grant.Need{}
	}
	var look toolcall.Look
	a = ask.Ask{Tool: p.Tool}
	if s.cfg.Core.Granted(p.Session, v.Need) {
		v.Need.Loses = len(v.Losses) > 0
	} else { // it has a card
		look = s.look(v)
		a.Does, a.Says = s.withSandbox(look.Does, p.Session, call), look.Says
		a.Asked, a.Said = s.reasons(p)
		a.Outward = strings.Join(v.Outward, " ")
	}
	a.Text, a.Hash = call.Text(look.Old), call.Hash()
	if a.Form, err = form(ask.Kind(in.Kind), p); err != nil {
		return a, v, err
	}
	a.Offer = s.offer(v.Need, p, a.Text)
	return a, v, nil
}

// withSandbox adds to what a command does that it runs in the host's sandbox, where the session's
// settings switch that on and the call does not leave it.
func (s *Server) withSandbox(does string, id session.ID, call ask.Input) string {
	v, _ := s.cfg.Core.Session(string(id)) // an unknown session has no settings
	fields, _ := call.Whole.(map[string]any)
	leaves := fields["dangerouslyDisableSandbox"] == true
	if call.Tool != "Bash" || leaves || !s.cfg.Place.IsSandboxed(v) {
		return does
	}
	return strings.TrimPrefix(does+" · run in Claude Code's sandbox, as its settings say", " · ")
}

// askWait holds the hook's connection until the ask ends. If the connection breaks, the
// hook has a limited time to dial again.
func (s *Server) askWait(c *door.Call, in wire.AskWaitRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	s.hookCame(id)
	a, err := s.cfg.Core.AttachAsk(id)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.Ctx, min(time.Duration(in.WaitMS)*time.Millisecond, maxAskWait))
	defer cancel()
	defer s.watchAttached(ctx, c.Line, a)()
	a, err = s.cfg.Core.AwaitAsk(ctx, id)
	if c.Ctx.Err() != nil && a.State == ask.Open {
		_, err = s.cfg.Core.LoseAsk(id)
	}
	if err != nil {
		return askState(a), err
	}
	return s.heldState(a)
}

// watchAttached notes a program of a session that is attached to a background session while
// a dialog of it is open. The caller calls end when the ask is over.
func (s *Server) watchAttached(ctx context.Context, line []peer.Process, a ask.Ask) (end func()) {
	if !a.Dialog() || a.State != ask.Open {
		return func() {}
	}
	return s.cfg.Callers.WatchAttached(ctx, line, func(program string) {
		if err := s.cfg.Core.EnterAsk(a.ID, program); err != nil {
			s.cfg.Log.Error("note who is attached", "ask", a.ID, "err", err)
		}
	})
}

// askClaim takes the answer for a hook that is about to print it. An answer
// that nobody claims has no effect.
func (s *Server) askClaim(c *door.Call, in wire.AskClaimRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	s.snapshotAllowed(c.Ctx, id)
	a, err := s.cfg.Core.ClaimAsk(id, in.Receipt && c.Process().Known())
	if err == nil {
		s.refusedOutward(a)
	}
	if err == nil && a.Unproven {
		c.OnReceipt(func(yes bool) error { return s.cfg.Core.AskPrinted(a.ID, yes) })
	}
	out = askState(a)
	if refused := a.Decision != nil && !a.Decision.Allow; refused {
		out.Message = strings.TrimSpace(out.Message + " " + s.giveUp(a.Session))
	}
	return out, err
}

func (s *Server) askEnded(c *door.Call, in wire.AskEndedRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	a, err := s.cfg.Core.CancelAsk(id, in.Why)
	if err != nil {
		return askState(a), err
	}
	return s.heldState(a)
}

var errNoAskID = door.BadRequest("an ask needs an id")

// ownAsk returns the id of an ask that the calling hook may speak for.
func (s *Server) ownAsk(c *door.Call, id string) (ask.ID, error) {
	if id == "" {
		return "", errNoAskID
	}
	a, err := s.cfg.Core.Ask(ask.ID(id))
	if err != nil {
		return "", err
	}
	return a.ID, c.AllowFor(a.Session, 0)
}

func askState(a ask.Ask) wire.AskState {
	r := wire.AskState{ID: string(a.ID), State: string(a.State), Message: a.Note, Parked: a.Holds()}
	if left := time.Until(a.ExpiresAt); a.State == ask.Open && left > 0 {
		r.DeadlineMS = left.Milliseconds()
	}
	if d := a.Decision; d != nil {
		r.Allow, r.Message, r.Scope, r.AcceptEdits = d.Allow, d.Message, string(d.Scope), d.AcceptEdits
		r.Interrupt = d.Interrupt
		r.Choices, r.Echo = choices(a), a.Echo()
	}
	return r
}
