package hooks

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// permissionRequest asks the person while the host's own dialog is open. Where
// Afar is off, the dialog is left alone; so it is where a host's own program
// shows the questions and plans of a session that nobody watches.
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

// kindOf is the kind of ask that a tool's call is.
func kindOf(tool string) string {
	switch tool {
	case claude.QuestionTool:
		return "question"
	case claude.PlanTool:
		return "plan"
	}
	return "permission"
}
