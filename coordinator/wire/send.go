package wire

// Operations of texts from the command line.
const (
	OpSend = "send" // to a session
	OpTell = "tell" // to the person; a session may do this too
)

// ToPerson is the address of the person.
const ToPerson = "person"

// ToRun begins the address of a run; its name follows.
const ToRun = "run:"

// SendRequest is a text for an address: a session's token (or its beginning),
// session:TOKEN, run:NAME, or person.
type SendRequest struct {
	ID   string `json:"id"` // made by the caller; a second request with the same id is the same text
	To   string `json:"to"`
	Text string `json:"text"`
}

// SendReply says what becomes of a text.
type SendReply struct {
	ID    string `json:"id"`    // of the message, "" for one to the person
	To    string `json:"to"`    // the session's token, or person
	When  string `json:"when"`  // when it gets there, in words
	Words bool   `json:"words"` // it counts as the person's words; otherwise it is data
}

// TellRequest is a text for the person.
type TellRequest = SendRequest

// TellReply says what becomes of it.
type TellReply = SendReply
