package hooks

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/host/claude"
)

// permissionRequest asks the person while the host's own dialog is open. It does
// nothing if Afar is off. It also leaves questions and plans alone in a session
// without dialogs, where another program of the host shows them. A call that only
// proposes a run is allowed: its proposal is the one question.
func permissionRequest(h *hook, guard Guard) error {
	d, err := h.judge(guard)
	if err != nil {
		return err
	}
	kind := kindOf(h.str(claude.FieldTool))
	if h.off() || kind != "permission" && !h.getenv.Dialogs() {
		return nil
	}
	if d.Proposes && h.isOwn("afar") {
		return h.printAnswer(answer{decision: allowed})
	}
	a, err := h.ask(kind, d)
	if err != nil {
		return err
	}
	return h.printAnswer(a)
}

// isOwn reports whether a command that a shell of the session finds by its name is a program of
// this installation.
func (h *hook) isOwn(name string) bool {
	found, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	own, err := os.Stat(filepath.Join(h.client.Bin, name))
	if err != nil {
		return false
	}
	got, err := os.Stat(found)
	return err == nil && os.SameFile(own, got)
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
