package hooks

// permissionRequest asks the person while the host's own dialog is open. Where
// Afar is off, or the question is one that a plain yes does not answer, the
// dialog is left alone.
func permissionRequest(h *hook) error {
	call, err := h.toolCall()
	if err != nil {
		return err
	}
	if h.off() || ownDialog(call.Tool) {
		return nil
	}
	a, err := h.ask("permission", h.judge(call).Person)
	if err != nil {
		return err
	}
	return h.printAnswer(a)
}

// ownDialog lists the tools whose dialog is the question itself: the host
// ignores a bare yes to them.
func ownDialog(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }
