package wire

// OpCheckInOver says that the hook no longer holds its session.
const OpCheckInOver = "hook.check-in.over"

// CheckInOverRequest names the check-in.
type CheckInOverRequest struct {
	Ask string `json:"ask"`
}

// CheckInOverReply returns the state of the check-in.
type CheckInOverReply = AskState
