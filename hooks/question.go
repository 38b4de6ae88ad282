package hooks

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// printAllow prints a yes with what the call's tool wants to hear.
func (h *hook) printAllow(a answer) error {
	switch h.str(claude.FieldTool) {
	case claude.QuestionTool:
		input, err := h.answers(a.said)
		if err != nil {
			return err
		}
		return h.print(hookoutput.Grant(input, nil))
	case claude.PlanTool:
		return h.print(hookoutput.Grant([]byte("{}"), rulesOfPlan(a)))
	}
	return h.print(hookoutput.Grant(nil, h.suggested(a.said.body.Get("echo").Items())))
}

// rulesOfPlan returns the rules that an approved plan comes with, nil for none.
func rulesOfPlan(a answer) []byte {
	if a.said.yes("accept_edits") {
		return []byte(hookoutput.AcceptEdits)
	}
	return nil
}

var errChoices = errors.New("the coordinator's answers do not fit the questions of the call")

// answers is the call's input with the person's answers, by the questions' own
// text. The labels are those that came in: nobody else has them unmasked.
func (h *hook) answers(r reply) ([]byte, error) {
	questions := h.get(claude.FieldQuestions)
	choices := r.body.Get("choices").Items()
	all := questions.Items()
	if !questions.IsArray() || len(choices) != len(all) {
		return nil, errChoices
	}
	answers := wire.NewObject()
	for i, q := range all {
		text, ok := chosen(q, choices[i])
		if !ok {
			return nil, errChoices
		}
		answers.Str(q.Get("question").Str(), text)
	}
	return wire.NewObject().Raw("questions", []byte(questions.Raw())).Raw("answers", answers.Bytes()).Bytes(), nil
}

// chosen is one answer in the host's form: labels joined by commas, one that
// has a comma itself in quotes, and the person's own words.
func chosen(question, choice hostjson.Value) (string, bool) {
	options := question.Get("options").Items()
	var parts []string
	for _, place := range choice.Get("options").Items() {
		i := int(place.Int())
		if i < 0 || i >= len(options) {
			return "", false
		}
		parts = append(parts, quoted(options[i].Get("label").Str(), question.Get("multiSelect").Bool()))
	}
	if said := choice.Get("said").Str(); said != "" {
		parts = append(parts, said)
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

// quoted keeps one label of several apart from the next.
func quoted(label string, multi bool) string {
	if multi && strings.Contains(label, ",") {
		return `"` + label + `"`
	}
	return label
}
