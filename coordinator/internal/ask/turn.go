package ask

// Interrupts reports whether the delivered refusal of a ends the turn by itself, as Esc in
// the host's dialog does. If the hook waits in place of a dialog, only the call is refused.
func (a Ask) Interrupts() bool {
	return a.State == Delivered && a.Decision != nil && a.Decision.Interrupt &&
		a.Agent == "" && a.Kind != Guard && a.Kind != Elicitation
}
