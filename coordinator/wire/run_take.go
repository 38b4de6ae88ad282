package wire

// Operations by which a person has the conversation of a run.
const (
	OpRunTake  Op[RunTakeRequest, RunTakeReply] = "run.take"
	OpRunGive  Op[Named, Run]                   = "run.give"
	OpRunAdopt Op[RunAdoptRequest, Run]         = "run.adopt"
)

// RunTakeRequest takes the conversation of a run to the caller's terminal, at the end of the
// turn that runs. Now interrupts the turn. It waits at most WaitMS.
type RunTakeRequest struct {
	ID     string `json:"id"`
	Now    bool   `json:"now,omitempty"`
	WaitMS int64  `json:"wait_ms,omitempty"`
}

// RunTakeReply says whether the caller has the run now, and how to continue its conversation.
type RunTakeReply struct {
	Run   Run  `json:"run"`
	Taken bool `json:"taken"`
	// Fence is the number of this taking: turns that began before count no longer.
	Fence   int64        `json:"fence,omitempty"`
	Session RunTurnReply `json:"session,omitzero"`
}

// RunAdoptRequest makes a run of a conversation that the agent knows. Where a text is empty, the
// conversation or the settings decide.
type RunAdoptRequest struct {
	ID           string `json:"id"` // made by the caller; a second request with the same id is the same run
	Conversation string `json:"conversation"`
	Agent        string `json:"agent,omitempty"`
	Name         string `json:"name,omitempty"`
	Dir          string `json:"dir,omitempty"` // absolute
	Mode         string `json:"mode,omitempty"`
	Model        string `json:"model,omitempty"`
}
