package host

// An Interactive is an agent with a client of its own for a person at a terminal. Its
// Abilities say so.
type Interactive interface {
	Agent
	// Interactive returns how that client is started on the conversation of t, which the agent
	// knows. The client begins in the mode of the turns, with Afar's hooks.
	Interactive(t Turn) (Start, error)
}
