package wire

// Operations of a second opinion. The last two are taken from the command line itself
// alone, and `afar call` does not send them: what they say is a fact.
const (
	OpConsults     = "hook.consults" // a reviewer's call is about to consult
	OpConsultBegin = "consult.begin"
	OpConsultEnd   = "consult.end"
)

// ConsultsRequest names the reviewer's call in its payload.
type ConsultsRequest struct{ HookCall }

// ConsultsReply says nothing.
type ConsultsReply = None

// ConsultBeginRequest asks for leave to consult.
type ConsultBeginRequest = None

// ConsultBeginReply says how the consultation is made.
type ConsultBeginReply struct {
	ID        string   `json:"id"` // to end it with; not to be guessed
	Programs  []string `json:"programs"`
	TimeoutMS int64    `json:"timeout_ms"` // for each program
}

// ConsultEndRequest says what came of a consultation.
type ConsultEndRequest struct {
	ID     string   `json:"id"`
	By     string   `json:"by,omitempty"` // the program that answered, "" for none
	Path   string   `json:"path,omitempty"`
	Digest string   `json:"digest,omitempty"` // SHA-256 of the answer in hex
	Bytes  int      `json:"bytes,omitempty"`
	TookMS int64    `json:"took_ms,omitempty"`
	Missed []Missed `json:"missed,omitempty"` // those asked before, in order
	Ended  bool     `json:"ended,omitempty"`  // it was ended before anything came of it
}

// ConsultEndReply says nothing.
type ConsultEndReply = None

// Missed is a program that gave no answer.
type Missed struct {
	By     string `json:"by"`
	Why    string `json:"why"`
	Absent bool   `json:"absent,omitempty"` // it is not installed
}

// A SecondOpinion is the output of `afar consult --json`.
type SecondOpinion struct {
	By     string   `json:"by"`
	Text   string   `json:"text"`
	Cut    bool     `json:"cut,omitempty"` // the answer went on
	Digest string   `json:"digest"`
	TookMS int64    `json:"took_ms"`
	Missed []Missed `json:"missed"`
}
