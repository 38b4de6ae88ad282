package ask

// Interrupts reports whether the refusal of a, which its hook takes to the host,
// ends the turn by itself: the host's dialog then closes as after Esc. Where a hook
// waits in its place, the call alone is refused.
func (a Ask) Interrupts() bool {
	return a.State == Delivered && a.Decision != nil && a.Decision.Interrupt && a.Agent == "" && a.Kind != Guard && a.Kind != Elicitation
}
