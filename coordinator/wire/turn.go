package wire

// Operations of a running turn.
const (
	OpTurn     Op[TurnRequest, TurnReply] = "hook.turn" // is the running turn to end?
	OpTurnStop Op[Named, TurnStopReply]   = "turn.stop" // end the running turn of a session
)

// TurnRequest asks whether the running turn is to end.
type TurnRequest struct {
	HookCall
	Over string `json:"verb,omitempty"` // TurnOver, or empty
}

// TurnOver, as TurnRequest.Over, says that the hook ends the turn.
const TurnOver = "over"

// TurnReply ends the turn if Block is true.
type TurnReply struct {
	Block  bool   `json:"block,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// TurnStopReply says what happened, for the person.
type TurnStopReply struct {
	Text string `json:"text"`
}
