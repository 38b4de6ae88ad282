package hook

import (
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
