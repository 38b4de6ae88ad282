package server

import (
	"errors"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/wire"
)

// form returns the questions of a call that asks questions, nil for any other call.
func form(kind ask.Kind, p payload) (*ask.Form, error) {
	if kind != ask.Questions {
		return nil, nil
	}
	questions, err := hookinput.Questions(p.Input)
	if err != nil {
		return nil, err
	}
	return ask.NewForm(questions)
}

// applyAnswer applies the answer of the person at the terminal.
func (s *Server) applyAnswer(in wire.AnswerRequest, d ask.Decision) (ask.Ask, error) {
	if in.Text == "" && len(in.Options) == 0 {
		a, err := s.cfg.Core.Answer(ask.ID(in.ID), d)
		if errors.Is(err, ask.ErrWords) {
			return a, badRequest("%v: afar answer %s TEXT, or --option N", err, in.ID)
		}
		return a, err
	}
	a, err := s.cfg.Core.Ask(ask.ID(in.ID))
	if err != nil {
		return a, err
	}
	if in.Question != nil && a.Form != nil && *in.Question != a.Form.At {
		return a, badRequest("that was another question of this call: it asks question %d now", a.Form.At+1)
	}
	step, err := stepOf(a, in)
	if err != nil {
		return a, err
	}
	if a.Kind == ask.Plan {
		d.Allow, d.Message = false, in.Text
	}
	a, err = s.cfg.Core.Step(a.ID, step, d)
	if ask.Misfit(err) {
		err = badRequest("%v", err)
	}
	return a, err
}

// stepOf returns the step that an answer in words or by options makes in its ask.
func stepOf(a ask.Ask, in wire.AnswerRequest) (ask.Step, error) {
	switch {
	case in.Text != "" && len(in.Options) > 0:
		return nil, badRequest("an answer is a text or options, not both")
	case a.Kind == ask.Plan && in.Text != "":
		return ask.Answer, nil
	case a.Kind == ask.Plan:
		return nil, badRequest("a plan has no options: afar allow %s, or say what to change", a.ID)
	case a.Form == nil:
		return nil, badRequest("%v: afar allow %s, or afar deny %s", ask.ErrNoForm, a.ID, a.ID)
	case in.Text != "":
		return ask.Say(in.Text), nil
	}
	var places []int
	for _, n := range in.Options {
		places = append(places, n-1)
	}
	return ask.Choose(places), nil
}

// choices returns the answers to the questions of an ask, for the hook.
func choices(a ask.Ask) []wire.Choice {
	if a.Form == nil || !a.Decision.Allow {
		return nil
	}
	return wire.List(a.Form.Questions, choice)
}

func choice(q ask.Question) wire.Choice {
	if len(q.Picked) == 1 && q.Options[q.Picked[0]].Does != "" {
		return wire.Choice{Does: string(q.Options[q.Picked[0]].Does)}
	}
	return wire.Choice{Options: q.Picked, Said: q.Said}
}
