package noun

import (
	"cmp"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// answerAsk answers an ask from the command line. An allow needs a controlling terminal.
// A refusal does not, because it can do no harm.
func (s *Server) answerAsk(c *door.Call, in wire.AnswerRequest) (out wire.Ask, err error) {
	if in.ID == "" {
		return out, door.BadRequest("an answer needs an id")
	}
	if err := c.AllowHere(); err != nil {
		return out, err
	}
	if in.ID, err = s.askNamed(in.ID); err != nil {
		return out, err
	}
	if in.Allow || in.Text != "" || len(in.Options) > 0 {
		if err := c.AllowTerminal(); err != nil {
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
		return out, door.BadRequest("this question is about another call than the one that was shown; look at it again")
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
			return door.BadRequest("only an allow can have a scope")
		}
		return nil
	}
	return door.BadRequest("unknown scope %q; want session or always, or none for once", in.Scope)
}

// decisionOf returns the decision that an answer from the command line makes.
func decisionOf(c *door.Call, in wire.AnswerRequest) ask.Decision {
	d := ask.Decision{
		Allow:       in.Allow,
		Message:     in.Message,
		By:          c.Decider(),
		Channel:     c.Channel(),
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

func (s *Server) asks(*door.Call, wire.None) (wire.AsksReply, error) {
	return wire.AsksReply{Asks: s.wireAsks()}, nil
}

// showAsk shows one question, also one that has ended.
func (s *Server) showAsk(_ *door.Call, in wire.Named) (out wire.AskReply, err error) {
	if in.ID == "" {
		return out, door.BadRequest("an id is needed")
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
		w.Origin = door.Origin(s.cfg.Core, m)
	}
	if a.State == ask.Open && s.cfg.Core.Counts(door.Terminal) != nil {
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
