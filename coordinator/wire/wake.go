package wire

// OpWake has the session that asks woken at a time.
const OpWake Op[WakeRequest, WakeReply] = "wake"

// WakeRequest is a wake-up. A second request with the same id is the same one.
type WakeRequest struct {
	ID   string `json:"id"`
	At   int64  `json:"at"`
	Text string `json:"text"` // what the session is told
	// Check is a command: the session is woken as soon as it exits with 0, and At is the time until
	// which it is run, each EveryMS. The person is asked first.
	Check   string `json:"check,omitempty"`
	EveryMS int64  `json:"every_ms,omitempty"`
}

// WakeReply is the trigger that does it. Ask is the question whether there may be one, "" for a
// wake-up without a check.
type WakeReply struct {
	Trigger
	Ask string `json:"ask,omitempty"`
}
