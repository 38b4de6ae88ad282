package wire

// Operations of texts that reach a session through its hooks.
const (
	OpMessageTake Op[MessageTakeRequest, MessageTakeReply] = "hook.message.take" // take the texts that wait
	OpRewake      Op[RewakeRequest, RewakeReply]           = "hook.rewake"       // wait to wake the session
	OpBatch       Op[BatchRequest, BatchReply]             = "hook.batch"        // tools of the main agent have run
	OpPrinted     Op[PrintedRequest, None]                 = "hook.printed"      // the hook has printed what it took
)

// MessageTakeRequest takes the texts that wait for a session.
type MessageTakeRequest struct {
	HookCall
	// Delivery names the hook that takes the texts. A second request with the same name
	// gets the same texts.
	Delivery string `json:"delivery,omitempty"`
	Receipt  bool   `json:"receipt,omitempty"` // see PrintedRequest
	Prompt   bool   `json:"prompt,omitempty"`  // for the mod, which submits one text as a prompt
}

// MessageTakeReply holds the texts.
type MessageTakeReply struct {
	Text  string `json:"text,omitempty"`
	By    string `json:"by,omitempty"`    // who wrote Text
	Texts int    `json:"texts,omitempty"` // how many texts still wait
	Again bool   `json:"again,omitempty"` // the session may have seen some of it before
}

// RewakeRequest waits at most WaitMS for a reason to wake the session.
type RewakeRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook that waits
	WaitMS   int64  `json:"wait_ms,omitempty"`
	Take     string `json:"verb,omitempty"` // TakeOver, or empty
	// Prompt is true if the mod of the session waits, to submit a text as a prompt.
	Prompt bool `json:"prompt,omitempty"`
}

// TakeOver, as RewakeRequest.Take, makes the caller the only waiter of its session. A hook
// sends it once, at its start.
const TakeOver = "take-over"

// RewakeReply tells the hook with Wake what to do, and why.
type RewakeReply struct {
	Wake   string `json:"wake,omitempty"` // wait, wake or end
	Reason string `json:"reason,omitempty"`
}

// BatchRequest says that tools of the main agent have run.
type BatchRequest struct {
	HookCall
	Delivery string `json:"delivery,omitempty"` // names the hook; see MessageTakeRequest
	Refused  bool   `json:"refused,omitempty"`  // a result says that the kernel refused something
}

// BatchReply counts the texts that wait for the session.
type BatchReply struct {
	Texts   int    `json:"texts,omitempty"`
	Context string `json:"context,omitempty"` // for the model, of what was refused
}

// PrintedRequest says that the hook has printed what it took: the answer to Ask, or the
// texts of Delivery.
//
// A hook that sets Receipt in AskClaimRequest or MessageTakeRequest sends its receipt on
// that request's connection: one more byte after the reply, once it has printed what it
// took. It gets one byte back when the coordinator has kept the receipt. If the connection
// ends without the hook's byte, the hook ended before it printed. If the coordinator died
// meanwhile, the hook makes this request to the next one.
type PrintedRequest struct {
	HookCall
	Ask      string `json:"ask,omitempty"`
	Delivery string `json:"delivery,omitempty"`
}
