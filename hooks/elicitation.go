package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
	"github.com/afar-sh/afar/coordinator/wire"
)

// elicitation asks the person the question of an MCP server. The host opens its own
// dialog only after this hook has ended, and only if it printed nothing.
func elicitation(h *hook) error {
	a, err := h.ask("elicitation", Judgement{})
	if err != nil {
		return err
	}
	switch a.decision {
	case allowed:
		return h.printContent(a.said.Choices)
	case denied:
		return h.print(hookoutput.Elicitation("decline", nil))
	}
	return h.printUndecided(a.message)
}

// printContent accepts the elicitation with the person's answers.
func (h *hook) printContent(choices []wire.Choice) error {
	if h.str(claude.FieldElicitMode) == "url" {
		return h.print(hookoutput.Elicitation("accept", nil))
	}
	content, err := hookoutput.Content(h.get(claude.FieldFormFields), choices)
	if err != nil {
		return err
	}
	return h.print(hookoutput.Elicitation("accept", content))
}
