package noun

import (
	"errors"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// applyAnswer applies the answer of the person at the terminal.
func (s *Server) applyAnswer(in wire.AnswerRequest, d ask.Decision) (ask.Ask, error) {
	if in.Text == "" && len(in.Options) == 0 {
		a, err := s.cfg.Core.Answer(ask.ID(in.ID), d)
		if errors.Is(err, ask.ErrWords) {
			return a, door.BadRequest("%v: afar answer %s TEXT, or --option N", err, in.ID)
		}
		return a, err
	}
	a, err := s.cfg.Core.Ask(ask.ID(in.ID))
	if err != nil {
		return a, err
	}
	if in.Question != nil && a.Form != nil && *in.Question != a.Form.At {
		return a, door.BadRequest("that was another question of this call: it asks question %d now", a.Form.At+1)
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
		err = door.BadRequest("%v", err)
	}
	return a, err
}

// stepOf returns the step that an answer in words or by options makes in its ask.
func stepOf(a ask.Ask, in wire.AnswerRequest) (ask.Step, error) {
	switch {
	case in.Text != "" && len(in.Options) > 0:
		return nil, door.BadRequest("an answer is a text or options, not both")
	case a.Kind == ask.Plan && in.Text != "":
		return ask.Answer, nil
	case a.Kind == ask.Plan:
		return nil, door.BadRequest("a plan has no options: afar allow %s, or say what to change", a.ID)
	case a.Form == nil:
		return nil, door.BadRequest("%v: afar allow %s, or afar deny %s", ask.ErrNoForm, a.ID, a.ID)
	case in.Text != "":
		return ask.Say(in.Text), nil
	}
	var places []int
	for _, n := range in.Options {
		places = append(places, n-1)
	}
	return ask.Choose(places), nil
}
