package server

import (
	"context"
	"encoding/json"
	"os/user"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxWait bounds one wait of a hook; it asks again. A coordinator that hangs is
// noticed that way.
const maxWait = 25 * time.Second

// waitFor is how long a caller may wait that asks for ms milliseconds.
func waitFor(ms int64) time.Duration { return min(time.Duration(ms)*time.Millisecond, maxWait) }

func (s *Server) askOpen(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	if h.Ask == "" {
		return nil, badRequest("an ask needs an id")
	}
	if s.silent(h) {
		return wire.AskReply{ID: h.Ask, State: string(ask.Cancelled), Message: "Afar is paused"}, nil
	}
	a, v, err := s.asked(h, p)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	a.Taker = caller(c)
	if h.Park {
		if a, err = s.cfg.Core.Park(a); err == nil {
			s.beside(p, v.losses, a)
		}
		return askReply(a), err
	}
	a, err = s.cfg.Core.OpenCovered(a, v.need)
	if err == nil {
		s.beside(p, v.losses, a)
	}
	return askReply(a), err
}

// asked is what a hook's call asks the person, and the call as it is seen: what
// the guard asks about, and what only a person can say, needs its person each
// time.
func (s *Server) asked(h wire.HookCall, p payload) (a ask.Ask, v seen, err error) {
	if ask.Kind(h.Kind) == ask.Elicitation {
		a, err = ask.NewElicitation(h.Payload)
	} else {
		a, v, err = s.askedCall(h, p)
	}
	a.ID, a.Kind, a.Session, a.Prompt = ask.ID(h.Ask), ask.Kind(h.Kind), p.Session, p.PromptID
	a.Agent, a.AgentType, a.Cwd, a.Attended, a.Background = p.Agent, p.AgentType, p.Cwd, h.Attended, h.Background
	a.Why = oneLine(redact.Visible(redact.Mask(h.Why)))
	return a, v, err
}

func (s *Server) askedCall(h wire.HookCall, p payload) (a ask.Ask, v seen, err error) {
	v = s.see(h, p)
	if h.Kind != string(ask.Permission) {
		v.need = grant.Need{}
	}
	var old string
	a = ask.Ask{Tool: p.Tool}
	if s.cfg.Core.Granted(p.Session, v.need) {
		v.need.Loses = len(v.losses) > 0
	} else { // it has a card
		a.Does, a.Says, old = s.look(v)
		a.Asked, a.Said = s.reasons(p)
	}
	if a.Text, a.Hash, err = ask.InputOver(p.Tool, p.Input, old); err != nil {
		return a, v, err
	}
	if a.Form, err = form(h, p); err != nil {
		return a, v, err
	}
	a.Offer = s.offer(v.need, p, a.Text)
	return a, v, nil
}

// askWait holds the hook's connection until the ask ends. A connection that
// breaks starts the time in which the hook may dial again.
func (s *Server) askWait(c *call) (any, error) {
	h, err := s.askCall(c)
	if err != nil {
		return nil, err
	}
	id := ask.ID(h.Ask)
	if _, err := s.cfg.Core.AttachAsk(id); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, waitFor(h.WaitMS))
	defer cancel()
	a, err := s.cfg.Core.AwaitAsk(ctx, id)
	if c.ctx.Err() != nil && a.State == ask.Open {
		_, err = s.cfg.Core.LoseAsk(id)
	}
	return askReply(a), err
}

// askClaim takes the answer for a hook that is about to print it. An answer
// that nobody claims has no effect.
func (s *Server) askClaim(c *call) (any, error) {
	h, err := s.askCall(c)
	if err != nil {
		return nil, err
	}
	s.before(c.ctx, ask.ID(h.Ask))
	a, err := s.cfg.Core.ClaimAsk(ask.ID(h.Ask), h.Receipt && caller(c).Known())
	if err == nil && a.Unproven {
		c.printed = func(yes bool) error { return s.cfg.Core.AskPrinted(a.ID, yes) }
	}
	return askReply(a), err
}

func (s *Server) askEnded(c *call) (any, error) {
	h, err := s.askCall(c)
	if err != nil {
		return nil, err
	}
	a, err := s.cfg.Core.CancelAsk(ask.ID(h.Ask), h.Why)
	return askReply(a), err
}

// askCall decodes a hook's call about an ask that it opened.
func (s *Server) askCall(c *call) (h wire.HookCall, err error) {
	if h, err = decode[wire.HookCall](c.body); err != nil || h.Ask == "" {
		return h, badRequest("an ask needs an id")
	}
	a, err := s.cfg.Core.Ask(ask.ID(h.Ask))
	if err != nil {
		return h, err
	}
	return h, s.allowFor(c, a.Session, 0)
}

func askReply(a ask.Ask) wire.AskReply {
	r := wire.AskReply{ID: string(a.ID), State: string(a.State), Message: a.Note}
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

// answerAsk is the terminal channel. An allow needs a controlling terminal; a
// refusal does not, for it can do no harm.
func (s *Server) answerAsk(c *call) (any, error) {
	var in wire.Answer
	if err := json.Unmarshal(c.body, &in); err != nil || in.ID == "" {
		return nil, badRequest("an answer needs an id")
	}
	if err := s.allowHere(c); err != nil {
		return nil, err
	}
	id, err := meant(in.ID, "ask_", s.askIDs())
	if err != nil {
		return nil, err
	}
	in.ID = id
	if in.Allow || in.Text != "" || len(in.Options) > 0 {
		if err := s.allowTerminal(c); err != nil {
			return nil, err
		}
	}
	switch scope := ask.Scope(in.Scope); {
	case scope != ask.Once && scope != ask.Session && scope != ask.Always:
		return nil, badRequest("an allow is for once, session or always, not %q", in.Scope)
	case scope != ask.Once && !in.Allow:
		return nil, badRequest("only an allow can reach farther than its call")
	}
	d := ask.Decision{Allow: in.Allow, Message: in.Message, By: localUser(), Channel: terminal, Scope: ask.Scope(in.Scope)}
	if !in.Allow && in.Message == "" {
		d.Message = "Denied by " + d.By + ". Do not try it again in another form; go on without it or ask."
	}
	if a, err := s.cfg.Core.Ask(ask.ID(in.ID)); err == nil && a.Kind == ask.CheckIn {
		d.Message = in.Message + in.Text // a text is its next instruction, none lets it rest
		in.Text = ""
	}
	a, err := s.answered(in, d)
	if err != nil {
		return nil, err
	}
	return s.wireAsk(a), nil
}

func (s *Server) askIDs() (ids []string) {
	for _, a := range s.cfg.Core.Asks(false) {
		ids = append(ids, string(a.ID))
	}
	return ids
}

func localUser() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username + " at the terminal"
	}
	return "the terminal"
}

func (s *Server) asks(*call) (any, error) { return wire.Asks{Asks: s.wireAsks()}, nil }

func (s *Server) wireAsks() []wire.Ask {
	out := []wire.Ask{}
	open := map[ask.ID]ask.Card{}
	for _, card := range s.cfg.Core.OpenCards() {
		open[card[0].CardID()] = card.Waiting()
	}
	short := beginnings(s.askIDs())
	for _, a := range s.cfg.Core.Asks(false) {
		w := s.wireAsk(a)
		w.Short = short[w.ID]
		w.AskedBy = open[a.CardID()].Or(a).Askers()
		out = append(out, w)
	}
	return out
}

func (s *Server) wireAsk(a ask.Ask) wire.Ask {
	v, _ := s.cfg.Core.Session(string(a.Session)) // an ask without a known session has an empty token
	w := wire.Ask{
		ID: string(a.ID), Kind: string(a.Kind), State: string(a.State), Session: string(a.Session), Token: v.Token,
		Project: v.Project, Tool: a.Tool, Input: a.Text, Hash: a.Hash, Agent: a.AgentType, Why: a.Why, Does: a.Does, Says: a.Says, Asked: a.Asked, Said: a.Said,
		Card: string(a.On), AskedBy: ask.Card{a}.Askers(), Perhaps: a.Perhaps,
		OpenedAt: a.OpenedAt.UnixMilli(), ExpiresAt: a.ExpiresAt.UnixMilli(), SettledAt: millis(a.SettledAt), Outcome: a.Outcome(),
		ForSession: a.ForSession(), ForAlways: a.ForAlways(), Parked: a.Parked,
	}
	if a.State == ask.Open && s.cfg.Core.Counts(terminal) != nil {
		w.AnswerAt = s.cfg.Core.Settings().AnswersFrom
	}
	w.Questions, w.Current = questions(a.Form)
	if d := a.Decision; d != nil {
		w.By, w.Channel, w.Allow = d.By, d.Channel, d.Allow
	}
	if l := a.Lease; l != nil {
		w.By, w.Channel, w.Allow = l.Decision.By, l.Decision.Channel, l.Decision.Allow
	}
	return w
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
