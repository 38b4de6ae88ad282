package wire

// OpCheckInOver says that the hook no longer holds its session.
const OpCheckInOver Op[CheckInOverRequest, AskState] = "hook.check-in.over"

// CheckInOverRequest names the check-in.
type CheckInOverRequest struct {
	Ask string `json:"ask"`
}
