package run

import "time"

// A Kind is what an event says. The kinds are the same for all agents.
type Kind string

// The kinds of events.
const (
	Init       Kind = "init"       // the agent has read its prompt
	Text       Kind = "text"       // the model wrote to its person
	Thinking   Kind = "thinking"   // the model wrote to itself
	ToolStart  Kind = "tool_start" // a tool was called
	ToolResult Kind = "tool_result"
	Usage      Kind = "usage"      // what the turn has used so far
	Context    Kind = "context"    // how full the conversation is
	Compacting Kind = "compacting" // it is being shortened
	Error      Kind = "error"
	Result     Kind = "result" // what the turn came to; a turn may have several
	Raw        Kind = "raw"    // something that the adapter does not know
)

// An Event is one thing that an agent did.
type Event struct {
	N     int64     `json:"n,omitempty"`     // its number in the run
	Fence int64     `json:"fence,omitempty"` // the turn
	At    time.Time `json:"at,omitzero"`     // when it was recorded
	Kind  Kind      `json:"kind"`
	Text  string    `json:"text,omitempty"`
	Tool  string    `json:"tool,omitempty"` // the tool of a call
	Call  string    `json:"call,omitempty"` // the agent's id of the call
	Of    string    `json:"of,omitempty"`   // the subagent that did it, "" for the agent itself
	// Failed is true for a tool or a turn that failed.
	Failed bool `json:"failed,omitempty"`
	// Final is true for a failed result that another try would not change.
	Final bool `json:"final,omitempty"`
	// Total is what the turn has used so far, zero if the event does not say. With Whole, it
	// is what the whole conversation has used.
	Total Cost `json:"total,omitzero"`
	Whole bool `json:"whole,omitempty"`
	// Limit is how long the tool of a call may take, 0 if the agent does not say.
	Limit time.Duration `json:"limit,omitempty"`
	// Background is how much work goes on behind the turn, for an event that says so.
	Background *int `json:"background,omitempty"`
	// Thread is the agent's own id of the conversation, for an Init event that says so.
	Thread string `json:"thread,omitempty"`
	// Deferred is the call that the agent keeps for the next turn, for a result that says so.
	Deferred string `json:"deferred,omitempty"`
	// Lost is true for a failed result that says that the agent does not know the conversation.
	Lost bool `json:"lost,omitempty"`
}

// answers reports whether e shows that the model has got its prompt.
func (e Event) answers() bool {
	switch e.Kind {
	case Text, Thinking, ToolStart, ToolResult:
		return true
	case Result:
		return !e.Failed
	}
	return false
}
