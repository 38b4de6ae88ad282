package wire

// Operations of the journal.
const (
	OpLog    Op[LogRequest, LogReply] = "log"
	OpVerify Op[None, VerifyReply]    = "audit.verify"
)

// LogRequest selects journal entries after a sequence number.
type LogRequest struct {
	After   int64  `json:"after"`
	Limit   int    `json:"limit"` // at most; 0 is 200
	Session string `json:"session,omitempty"`
	WaitMS  int64  `json:"wait_ms,omitempty"` // wait for the first new entry
	Last    bool   `json:"last,omitempty"`    // the newest Limit entries instead of the oldest
	// Kinds selects entries of these kinds, of all sessions. It needs Last.
	Kinds []string `json:"kinds,omitempty"`
	// Before selects entries before a sequence number. It needs Last.
	Before int64 `json:"before,omitempty"`
}

// LogReply holds journal entries, oldest first.
type LogReply struct {
	Entries []Entry `json:"entries"`
}

// An Entry is one line of the journal.
type Entry struct {
	Seq     int64  `json:"seq"`
	ID      string `json:"id"`
	At      int64  `json:"at"`
	Kind    string `json:"kind"`
	Session string `json:"session,omitempty"`
	Token   string `json:"token,omitempty"`
	Subject string `json:"subject,omitempty"`
	Text    string `json:"text"`
	Hash    string `json:"hash"`
}

// VerifyReply is the result of checking the journal's hash chain.
type VerifyReply struct {
	Entries int64  `json:"entries"`
	OK      bool   `json:"ok"`
	Broken  int64  `json:"broken,omitempty"` // the first entry whose hash is wrong
	Head    string `json:"head"`
	// Unproven are rows of the database that claim a decision without an entry of the journal.
	Unproven []string `json:"unproven,omitempty"`
}
