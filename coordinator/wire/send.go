package wire

// Operations of texts from the command line.
const (
	OpSend  = "send"  // to a session or a run
	OpTell  = "tell"  // to the person; a session may do this too
	OpInbox = "inbox" // the texts that were sent
)

// ToPerson is the address of the person.
const ToPerson = "person"

// ToRun begins the address of a run; its name follows.
const ToRun = "run:"

// InboxRequest asks for the newest texts, all or those for one address.
type InboxRequest struct {
	For  string `json:"for,omitempty"`
	Last int    `json:"last,omitempty"` // at most so many; 0 is 100
}

// InboxReply lists texts, oldest first.
type InboxReply struct {
	Messages []Message `json:"messages"`
}

// A Message is a text on its way to a session, a run or the person.
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
}

// SendRequest is a text for an address: a session's token (or its beginning),
// session:TOKEN, run:NAME, or person.
type SendRequest struct {
	ID   string `json:"id"` // made by the caller; a second request with the same id is the same text
	To   string `json:"to"`
	Text string `json:"text"`
}

// SendReply says what becomes of a text.
type SendReply struct {
	ID    string `json:"id"`    // of the message
	To    string `json:"to"`    // the session's token, or person
	When  string `json:"when"`  // when it gets there, in words
	Words bool   `json:"words"` // it counts as the person's words; otherwise it is data
}

// TellRequest is a text for the person.
type TellRequest = SendRequest

// TellReply says what becomes of it.
type TellReply = SendReply
