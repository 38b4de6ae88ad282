package wire

// Operations of reviews.
const (
	OpSubagentStart Op[SubagentStartRequest, SubagentStartReply] = "hook.subagent-start"
	OpSubagentStop  Op[SubagentStopRequest, SubagentStopReply]   = "hook.subagent-stop"
)

// SubagentStartRequest says that a reviewer begins.
type SubagentStartRequest struct{ HookCall }

// SubagentStartReply holds what the reviewer is told.
type SubagentStartReply struct {
	Context string `json:"context,omitempty"`
}

// SubagentStopRequest asks whether a subagent may stop.
type SubagentStopRequest struct{ HookCall }

// SubagentStopReply makes the subagent continue if Block is true.
type SubagentStopReply struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"`
	Notice string `json:"notice,omitempty"` // for the person at the terminal
}

// ReadsOnly reports whether an agent of the given type may only read. agentType is the
// host's name of the type.
func ReadsOnly(agentType string) bool { return agentType == "alice" || agentType == "afar:alice" }
