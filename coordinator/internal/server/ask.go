package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/grant"
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

func (s *Server) askOpen(c *call, in wire.AskOpenRequest) (out wire.AskState, err error) {
	p, err := s.hookCall(c, in.HookCall, "")
	if err != nil {
		return out, err
	}
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
		return out, badRequest("%v", err)
	}
	a.Taker = caller(c)
	if in.Park {
		a, err = s.cfg.Core.Park(a)
	} else {
		a, err = s.cfg.Core.OpenCovered(a, v.Need)
	}
	if err != nil {
		return askState(a), err
	}
	s.snapshotAsked(c.ctx, p, v, a)
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
	_, can, err := s.agentOf(r.Agent)
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
func (s *Server) askWait(c *call, in wire.AskWaitRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	s.hookCame(id)
	a, err := s.cfg.Core.AttachAsk(id)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, min(time.Duration(in.WaitMS)*time.Millisecond, maxAskWait))
	defer cancel()
	defer s.watchAttached(ctx, c.line, a)()
	a, err = s.cfg.Core.AwaitAsk(ctx, id)
	if c.ctx.Err() != nil && a.State == ask.Open {
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
	return s.callers.WatchAttached(ctx, line, func(program string) {
		if err := s.cfg.Core.EnterAsk(a.ID, program); err != nil {
			s.cfg.Log.Error("note who is attached", "ask", a.ID, "err", err)
		}
	})
}

// askClaim takes the answer for a hook that is about to print it. An answer
// that nobody claims has no effect.
func (s *Server) askClaim(c *call, in wire.AskClaimRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	s.snapshotAllowed(c.ctx, id)
	a, err := s.cfg.Core.ClaimAsk(id, in.Receipt && caller(c).Known())
	if err == nil {
		s.refusedOutward(a)
	}
	if err == nil && a.Unproven {
		c.printed = func(yes bool) error { return s.cfg.Core.AskPrinted(a.ID, yes) }
	}
	out = askState(a)
	if refused := a.Decision != nil && !a.Decision.Allow; refused {
		out.Message = strings.TrimSpace(out.Message + " " + s.giveUp(a.Session))
	}
	return out, err
}

func (s *Server) askEnded(c *call, in wire.AskEndedRequest) (out wire.AskState, err error) {
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

var errNoAskID = badRequest("an ask needs an id")

// ownAsk returns the id of an ask that the calling hook may speak for.
func (s *Server) ownAsk(c *call, id string) (ask.ID, error) {
	if id == "" {
		return "", errNoAskID
	}
	a, err := s.cfg.Core.Ask(ask.ID(id))
	if err != nil {
		return "", err
	}
	return a.ID, s.allowFor(c, a.Session, 0)
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

// answerAsk answers an ask from the command line. An allow needs a controlling terminal.
// A refusal does not, because it can do no harm.
func (s *Server) answerAsk(c *call, in wire.AnswerRequest) (out wire.Ask, err error) {
	if in.ID == "" {
		return out, badRequest("an answer needs an id")
	}
	if err := s.allowHere(c); err != nil {
		return out, err
	}
	if in.ID, err = s.askNamed(in.ID); err != nil {
		return out, err
	}
	if in.Allow || in.Text != "" || len(in.Options) > 0 {
		if err := s.allowTerminal(c); err != nil {
			return out, err
		}
	}
	if err := checkScope(in); err != nil {
		return out, err
	}
	d := decisionOf(c, in)
	a, err := s.cfg.Core.Ask(ask.ID(in.ID))
	switch {
	case err != nil: // is said below
	case in.Hash != "" && in.Hash != a.Hash:
		return out, badRequest("this question is about another call than the one that was shown; look at it again")
	case a.Kind == ask.CheckIn && !a.Mirrored():
		d.Message = in.Message + in.Text // a text is its next instruction; without one the session stops
		in.Text = ""
	}
	if err == nil && a.Mirrored() {
		return s.answerThere(c, a, in)
	}
	a, err = s.applyAnswer(in, d)
	if err != nil {
		return out, err
	}
	return s.wireAsk(a), nil
}

// checkScope refuses a scope that no answer has, or that this one cannot have.
func checkScope(in wire.AnswerRequest) error {
	switch ask.Scope(in.Scope) {
	case ask.Once:
		return nil
	case ask.Session, ask.Always:
		if !in.Allow {
			return badRequest("only an allow can have a scope")
		}
		return nil
	}
	return badRequest("unknown scope %q; want session or always, or none for once", in.Scope)
}

// decisionOf returns the decision that an answer from the command line makes.
func decisionOf(c *call, in wire.AnswerRequest) ask.Decision {
	d := ask.Decision{
		Allow:       in.Allow,
		Message:     in.Message,
		By:          c.decider(),
		Channel:     c.channel(),
		Scope:       ask.Scope(in.Scope),
		AcceptEdits: in.Allow && in.AcceptEdits,
	}
	if !in.Allow && in.Message == "" {
		d.Message = "Denied by " + d.By + ". Do not try it again in another form; go on without it or ask."
	}
	return d
}

// askNamed returns the id of the question that a person names by its beginning, or by all of it.
func (s *Server) askNamed(typed string) (id string, err error) {
	if _, err := s.cfg.Core.Ask(ask.ID(typed)); err == nil {
		return typed, nil
	}
	return resolveID(typed, "ask_", idsOf(s.cfg.Core.Asks(false)))
}

func idsOf(asks []ask.Ask) (ids []string) {
	for _, a := range asks {
		ids = append(ids, string(a.ID))
	}
	return ids
}

func (s *Server) asks(*call, wire.None) (wire.AsksReply, error) {
	return wire.AsksReply{Asks: s.wireAsks()}, nil
}

// showAsk shows one question, also one that has ended.
func (s *Server) showAsk(_ *call, in wire.Named) (out wire.AskReply, err error) {
	if in.ID == "" {
		return out, badRequest("an id is needed")
	}
	id, err := s.askNamed(in.ID)
	if err != nil {
		return out, err
	}
	card, err := s.cfg.Core.OnCard(ask.ID(id))
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(card, func(a ask.Ask) bool { return a.ID == ask.ID(id) })
	if i < 0 {
		return out, core.ErrNotFound
	}
	a := card[i]
	out.Ask = s.wireAsk(a)
	out.AskedBy = card.Waiting().Or(a).Askers()
	if a.State != ask.Open {
		out.How = a.Ending()
	}
	if v, ok := s.cfg.Core.UndoOf(a.ID); ok {
		kept := s.wireUndo(v)
		out.Undo = &kept
	}
	return out, nil
}

func (s *Server) wireAsks() []wire.Ask {
	out := []wire.Ask{}
	open := map[ask.ID]ask.Card{}
	for _, card := range s.cfg.Core.OpenCards() {
		open[card[0].CardID()] = card.Waiting()
	}
	all := s.cfg.Core.Asks(false)
	short := beginnings(idsOf(all))
	for _, a := range all {
		w := s.wireAsk(a)
		w.Short = short[w.ID]
		w.AskedBy = open[a.CardID()].Or(a).Askers()
		out = append(out, w)
	}
	return out
}

func (s *Server) wireAsk(a ask.Ask) wire.Ask {
	w := channel.Asked(a)
	w.URL = s.linkTo(askPath(a.ID))
	if !a.Mirrored() {
		s.placeAsk(&w, a)
	} else if m, err := s.cfg.Core.Machine(a.From.Machine); err == nil {
		w.Origin = s.origin(m)
	}
	if a.State == ask.Open && s.cfg.Core.Counts(terminal) != nil {
		w.AnswerAt = s.cfg.Core.Settings().AnswersFrom
	}
	w.Request = a.Request(func(path string) string { return text.Near(path, w.Project, s.cfg.Place.Dirs.User) })
	return w
}

// placeAsk adds to an ask of this machine who asks.
func (s *Server) placeAsk(w *wire.Ask, a ask.Ask) {
	v, _ := s.cfg.Core.Session(string(a.Session)) // an ask without a known session has an empty token
	w.Token, w.Project = v.Token, v.Project
	if r, ok := s.cfg.Core.RunOf(a.Session); ok {
		w.Run = r.Name
	}
	if a.Task != "" { // its agent may have run no hooks
		w.Token, w.Project = cmp.Or(w.Token, "task:"+a.Task), cmp.Or(w.Project, a.Cwd)
	}
}
