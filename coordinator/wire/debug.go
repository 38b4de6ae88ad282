package wire

// OpDebug passes on what a hook read and printed, while the person debugs.
const OpDebug Op[DebugRequest, None] = "hook.debug"

// DebugRequest is what one hook read and printed.
type DebugRequest struct {
	Line    Raw `json:"line"` // as in the log of hooks
	Payload Raw `json:"payload"`
	Printed Raw `json:"printed,omitempty"`
}

// A HookLine is one line of the log of hooks. Times are unix milliseconds.
type HookLine struct {
	At       int64  `json:"at"`
	Event    string `json:"event"`
	Decision string `json:"decision"` // what the host was told; open and closed are failures
	TookUS   int64  `json:"took_us"`
	Session  string `json:"session,omitempty"`
	Token    string `json:"token,omitempty"` // added by afar log, where the session is known
	Tool     string `json:"tool,omitempty"`
	Agent    string `json:"agent,omitempty"`
	PID      int    `json:"pid"`
	Bytes    int    `json:"bytes"` // of the input
	Error    string `json:"error,omitempty"`
}
