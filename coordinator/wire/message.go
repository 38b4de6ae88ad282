package wire

// Operations of texts that reach a session through its hooks.
const (
	OpMessageTake = "hook.message.take" // take the texts that wait
	OpRewake      = "hook.rewake"       // wait in the background to wake the session
	OpBatch       = "hook.batch"        // tools of the main agent have run
	OpPrinted     = "hook.printed"      // what was taken is printed
)

// MessageTakeRequest takes the texts that wait for a session.
type MessageTakeRequest struct {
	HookCall
	// Delivery names the hook that takes texts; asking again with the same name
	// brings the same texts.
	Delivery string `json:"delivery,omitempty"`
	Receipt  bool   `json:"receipt,omitempty"` // see PrintedRequest
}

// MessageTakeReply holds the texts.
type MessageTakeReply struct {
	Text  string `json:"text,omitempty"`
	By    string `json:"by,omitempty"`    // who wrote Text
	Texts int    `json:"texts,omitempty"` // texts that still wait
	Again bool   `json:"again,omitempty"` // the session may have seen some of it before
}

// RewakeRequest waits at most WaitMS for something to wake the session for.
type RewakeRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook that waits
	WaitMS   int64  `json:"wait_ms,omitempty"`
	Take     string `json:"verb,omitempty"` // TakeOver, or empty
}

// TakeOver, as RewakeRequest.Take, makes the caller the one waiter of its session. It
// is said once, at the start.
const TakeOver = "take-over"

// RewakeReply says with Wake what the hook does, and why.
type RewakeReply struct {
	Wake   string `json:"wake,omitempty"` // wait, wake or end
	Reason string `json:"reason,omitempty"`
}

// BatchRequest says that tools of the main agent have run.
type BatchRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook; see MessageTakeRequest
}

// BatchReply counts the texts that wait for the session.
type BatchReply struct {
	Texts int `json:"texts,omitempty"`
}

// PrintedRequest says that the hook has printed what it took: the answer to Ask, or the
// texts of Delivery.
//
// A hook that sets Receipt in AskClaimRequest or MessageTakeRequest says it on that
// request's connection: it sends one more byte after the reply once it has printed what
// it took, and gets one byte back when the coordinator has kept that. A connection that
// ends without the hook's byte is a hook that ended before. A hook whose coordinator
// died meanwhile makes this request to the next one.
type PrintedRequest struct {
	HookCall
	Ask      string `json:"ask,omitempty"`
	Delivery string `json:"delivery,omitempty"`
}

// PrintedReply says nothing.
type PrintedReply = None
