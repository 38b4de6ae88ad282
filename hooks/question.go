package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
)

// printAllow allows the call, with the input or the rules that its tool needs.
func (h *hook) printAllow(a answer) error {
	switch h.str(claude.FieldTool) {
	case claude.QuestionTool:
		input, err := hookoutput.Answers(h.get(claude.FieldQuestions), a.said.Choices)
		if err != nil {
			return err
		}
		return h.print(hookoutput.Grant(input, nil))
	case claude.PlanTool:
		return h.print(hookoutput.Grant([]byte("{}"), rulesOfPlan(a)))
	}
	return h.print(hookoutput.Grant(nil, hookoutput.Suggested(h.get(claude.FieldSuggestions), a.said.Echo)))
}

// rulesOfPlan returns the permission rules that come with an approved plan, nil for
// none.
func rulesOfPlan(a answer) []byte {
	if a.said.AcceptEdits {
		return []byte(hookoutput.AcceptEdits)
	}
	return nil
}
