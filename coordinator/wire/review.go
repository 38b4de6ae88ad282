package wire

// Operations of reviews.
const (
	OpSubagentStart = "hook.subagent-start"
	OpSubagentStop  = "hook.subagent-stop"
)

// SubagentStartRequest says that a reviewer begins.
type SubagentStartRequest struct{ HookCall }

// SubagentStartReply holds what the reviewer is told.
type SubagentStartReply struct {
	Context string `json:"context,omitempty"`
}

// SubagentStopRequest asks whether a subagent may stop.
type SubagentStopRequest struct{ HookCall }

// SubagentStopReply sends the subagent on if Block is true.
type SubagentStopReply struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"`
	Notice string `json:"notice,omitempty"` // for the person at the terminal
}

// ReadsOnly reports whether an agent of that type, as the host names it, may only
// read.
func ReadsOnly(agentType string) bool { return agentType == "alice" || agentType == "afar:alice" }
