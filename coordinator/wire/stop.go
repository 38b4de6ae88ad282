package wire

// Operations of a session's stop. A hook that is told to wait for an errand or for
// parked calls asks OpStop again afterwards.
const (
	OpStop        Op[StopRequest, StopReply]             = "hook.stop" // may the session stop?
	OpStopFailure Op[StopFailureRequest, None]           = "hook.stop-failure"
	OpParkedWait  Op[ParkedWaitRequest, None]            = "hook.parked.wait" // wait until OpStop may have another reply
	OpErrandWait  Op[ErrandWaitRequest, ErrandWaitReply] = "hook.errand.wait" // wait until the loop's errand is over
)

// StopRequest asks whether the session may stop.
type StopRequest struct {
	HookCall
	Ask      string `json:"ask,omitempty"`      // the id of a check-in, made by the hook
	Delivery string `json:"delivery,omitempty"` // names the hook; see MessageTakeRequest
	// Checked is the result of the check in the previous reply. Round counts these
	// results, so that the coordinator can tell the calls of one Stop apart.
	Checked *LoopChecked `json:"checked,omitempty"`
	Round   int          `json:"round,omitempty"`
}

// StopReply says whether the session may stop, and what the hook has to do before.
type StopReply struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"`
	Notice string `json:"notice,omitempty"` // for the person at the terminal
	// Check is what the hook has to run. The next request holds its result.
	Check *LoopCheck `json:"check,omitempty"`
	// Errand says in words what the session waits for: a loop's issue is being picked,
	// reviewed or landed.
	Errand string `json:"errand,omitempty"`
	Texts  int    `json:"texts,omitempty"` // texts that wait for the session: take them
	// ParkedMS is how long the hook may wait for the answers to the session's parked
	// calls.
	ParkedMS int64 `json:"parked_ms,omitempty"`
	HoldMS   int64 `json:"hold_ms,omitempty"` // hold the session; the request's Ask is its check-in
}

// StopFailureRequest says that the provider refused a session's turn.
type StopFailureRequest struct{ HookCall }

// ParkedWaitRequest waits at most WaitMS.
type ParkedWaitRequest struct {
	HookCall
	WaitMS int64 `json:"wait_ms,omitempty"`
}

// ErrandWaitRequest waits at most WaitMS.
type ErrandWaitRequest struct {
	HookCall
	WaitMS  int64 `json:"wait_ms,omitempty"`
	SinceMS int64 `json:"since_ms,omitempty"` // when the hook began, in unix milliseconds
}

// ErrandWaitReply says with Wake whether the hook has to wait again.
type ErrandWaitReply struct {
	Wake string `json:"wake,omitempty"` // wait or end
}
