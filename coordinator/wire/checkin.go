package wire

// OpCheckInOver says that the hook no longer holds its session.
const OpCheckInOver = "hook.check-in.over"

// CheckInOverRequest names the check-in.
type CheckInOverRequest struct {
	Ask string `json:"ask"`
}

// CheckInOverReply says how the check-in stands.
type CheckInOverReply = AskState
