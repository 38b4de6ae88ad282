package session

// A Process is one process of this machine. Born tells it from a later one that was
// given its id; "" is not known.
type Process struct {
	PID  int    `json:"pid"`
	Born string `json:"born,omitempty"`
}

// Known reports whether p names a process. The first one of all is none of ours: an
// orphan takes it for its parent.
func (p Process) Known() bool { return p.PID > 1 }

// Process is the host's client, as its last hook or session file named it.
func (s Session) Process() Process { return Process{s.Client, s.ClientBorn} }
