package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// permissionRequest asks the person while the host's own dialog is open. It does
// nothing if Afar is off. It also leaves questions and plans alone in a session
// without dialogs, where another program of the host shows them.
func permissionRequest(h *hook, guard Guard) error {
	d, err := h.judge(guard)
	if err != nil {
		return err
	}
	kind := kindOf(h.str(claude.FieldTool))
	if h.off() || kind != "permission" && !h.getenv.Dialogs() {
		return nil
	}
	a, err := h.ask(kind, d.Person)
	if err != nil {
		return err
	}
	return h.printAnswer(a)
}

// kindOf returns the kind of ask for a call of a tool.
func kindOf(tool string) string {
	switch tool {
	case claude.QuestionTool:
		return "question"
	case claude.PlanTool:
		return "plan"
	}
	return "permission"
}
