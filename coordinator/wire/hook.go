package wire

// None is the body of a request or a reply that says nothing.
type None struct{}

// A HookCall is what every hook says about itself and its session. It is the first part
// of every hook's request.
type HookCall struct {
	// Payload is the host's own JSON, byte for byte except for line breaks.
	Payload Raw `json:"payload"`
	// Client is the process id of the host's client that ran the hook.
	Client int `json:"client"`
	// Entrypoint is the host's word for its kind: "cli" or "sdk-cli".
	Entrypoint string `json:"entrypoint,omitempty"`
	// Attended is true when someone sits at the client's terminal.
	Attended bool `json:"attended"`
	// Background is true in a session of the host's own background service.
	Background bool `json:"background,omitempty"`
	// Terminal names the terminal and where the name was found, "tty:/dev/pts/3".
	Terminal string `json:"terminal,omitempty"`
	// Off is set when the session or its project switched Afar off.
	Off bool `json:"off,omitempty"`
	// Silenced says by what the project asks for silence, whatever the person has decided about that.
	Silenced string `json:"silenced,omitempty"`
	// Redirected lists variables of the environment that tried to move a pinned
	// home, as NAME=value.
	Redirected []string `json:"redirected,omitempty"`
	// Project is the session's root, as the host names it.
	Project string `json:"project,omitempty"`
}

// Hook returns h, also of a request that has it as its first part.
func (h HookCall) Hook() HookCall { return h }
