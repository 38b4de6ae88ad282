package wire

// Operations of texts from the command line.
const (
	OpSend Op[SendRequest, SendReply] = "send" // to a session, a run or a task
	OpTell Op[SendRequest, SendReply] = "tell" // to the person; a session may do this too
	// OpEscalate is like OpSend for a run of a trigger, to the address that its rule names.
	OpEscalate Op[SendRequest, SendReply]   = "escalate"
	OpInbox    Op[InboxRequest, InboxReply] = "inbox" // the texts that were sent
)

// Never says in SendReply.When that a text was sent to nobody: it has nothing to say.
const Never = "never"

// ToPerson is the address of the person.
const ToPerson = "person"

// ToRun begins the address of a run, and ToTask that of a task; its name follows.
const (
	ToRun  = "run:"
	ToTask = "task:"
)

// InboxRequest asks for the newest texts, all or those for one address.
type InboxRequest struct {
	For  string `json:"for,omitempty"`
	Own  bool   `json:"own,omitempty"`  // those for the session that asks
	Find string `json:"find,omitempty"` // those with all of these words, in any case, in their text or about them
	Last int    `json:"last,omitempty"` // at most so many; 0 is 100
	// Before asks for texts that came before the one with this id.
	Before string `json:"before,omitempty"`
}

// InboxReply lists texts, oldest first.
type InboxReply struct {
	Messages []Message `json:"messages"`
}

// A Message is a text on its way to a session, a run, a task or the person.
type Message struct {
	ID          string `json:"id"`
	To          string `json:"to"`    // its address; "" while the person has not said which
	State       string `json:"state"` // unrouted, pending, delivered or done
	By          string `json:"by"`    // who wrote it
	Channel     string `json:"channel,omitempty"`
	Words       bool   `json:"words"` // it counts as the person's words; otherwise it is data
	Text        string `json:"text"`
	At          int64  `json:"at"`
	DeliveredAt int64  `json:"delivered_at,omitempty"`
	DoneAt      int64  `json:"done_at,omitempty"`
	Outcome     string `json:"outcome"` // what came of it, or when its recipient gets it, in words
}

// SendRequest is a text for an address: a session's token (or its beginning),
// session:TOKEN, run:NAME, task:SLUG, or person.
type SendRequest struct {
	ID   string `json:"id"` // made by the caller; a second request with the same id is the same text
	To   string `json:"to"`
	Text string `json:"text"`
	Re   string `json:"re,omitempty"` // to the person: the id of the message that this answers
}

// SendReply says what becomes of a text.
type SendReply struct {
	ID    string `json:"id"`    // of the message
	To    string `json:"to"`    // the session's token, run:NAME, task:SLUG, or person
	When  string `json:"when"`  // when it gets there, in words
	Words bool   `json:"words"` // it counts as the person's words; otherwise it is data
}
