package ask

// Interrupts reports whether the delivered refusal of a ends the turn by itself, as Esc in
// the host's dialog does. If the hook waits in place of a dialog, only the call is refused.
func (a Ask) Interrupts() bool {
	if a.Decision == nil || !a.Decision.Interrupt {
		return false
	}
	switch a.Kind {
	case Guard, Elicitation:
		return false
	}
	return a.State == Delivered && a.Agent == ""
}
