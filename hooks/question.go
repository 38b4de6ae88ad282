package hooks

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
	"github.com/afar-sh/afar/coordinator/wire"
)

// printAllow allows the call, with the input or the rules that its tool needs.
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

// rulesOfPlan returns the permission rules that come with an approved plan, nil for
// none.
func rulesOfPlan(a answer) []byte {
	if a.said.yes("accept_edits") {
		return []byte(hookoutput.AcceptEdits)
	}
	return nil
}

var errChoices = errors.New("the coordinator's answers do not fit the questions of the call")

// answers returns the call's input with the person's answers, by the text of each
// question. The labels are taken from the hook's input, because the coordinator has
// them masked.
func (h *hook) answers(r reply) ([]byte, error) {
	questions := h.get(claude.FieldQuestions)
	choices := r.body.Get("choices").Items()
	all := questions.Items()
	if !questions.IsArray() || len(choices) != len(all) {
		return nil, errChoices
	}
	answers := wire.NewObject()
	for i, q := range all {
		text, ok := answerText(q, choices[i])
		if !ok {
			return nil, errChoices
		}
		answers.Str(q.Get("question").Str(), text)
	}
	return wire.NewObject().Raw("questions", []byte(questions.Raw())).Raw("answers", answers.Bytes()).Bytes(), nil
}

// answerText returns the answer to one question in the host's form: the chosen
// labels and the person's own words, joined by commas. It returns false if the
// choice does not fit the question.
func answerText(question, choice hostjson.Value) (string, bool) {
	options := question.Get("options").Items()
	var parts []string
	for _, index := range choice.Get("options").Items() {
		option, ok := pick(options, index)
		if !ok {
			return "", false
		}
		parts = append(parts, quoted(option.Get("label").Str(), question.Get("multiSelect").Bool()))
	}
	if said := choice.Get("said").Str(); said != "" {
		parts = append(parts, said)
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

// quoted returns a label, in quotes if it contains a comma and several labels can be
// chosen.
func quoted(label string, multi bool) string {
	if multi && strings.Contains(label, ",") {
		return `"` + label + `"`
	}
	return label
}
