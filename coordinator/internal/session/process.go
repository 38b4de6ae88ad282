package session

// A Process is one process of this machine. Born distinguishes it from a later process
// with the same id; "" means unknown.
type Process struct {
	PID  int    `json:"pid"`
	Born string `json:"born,omitempty"`
}

// Known reports whether p names a process. Process 1 does not count, because it is the
// parent of every orphan.
func (p Process) Known() bool { return p.PID > 1 }

// Process returns the host's client, as its last hook or session file named it.
func (s Session) Process() Process { return Process{s.Client, s.ClientBorn} }
