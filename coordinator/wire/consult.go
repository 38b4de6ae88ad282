package wire

// Operations of a second opinion. The coordinator takes the last two only from the afar
// program, and `afar call` does not send them, so that what they say can be relied on.
const (
	OpConsults     Op[ConsultsRequest, None]   = "hook.consults" // a reviewer's call is about to consult
	OpConsultBegin Op[None, ConsultBeginReply] = "consult.begin"
	OpConsultEnd   Op[ConsultEndRequest, None] = "consult.end"
)

// ConsultsRequest names the reviewer's call in its payload.
type ConsultsRequest struct{ HookCall }

// ConsultBeginReply says how to make the consultation.
type ConsultBeginReply struct {
	ID        string   `json:"id"` // names it in ConsultEndRequest; it cannot be guessed
	Programs  []string `json:"programs"`
	TimeoutMS int64    `json:"timeout_ms"` // for each program
	// Wall bounds the programs.
	Wall WallSettings `json:"wall,omitzero"`
}

// ConsultEndRequest reports the result of a consultation.
type ConsultEndRequest struct {
	ID     string   `json:"id"`
	By     string   `json:"by,omitempty"` // the program that answered, "" for none
	Path   string   `json:"path,omitempty"`
	Digest string   `json:"digest,omitempty"` // SHA-256 of the answer in hex
	Bytes  int      `json:"bytes,omitempty"`
	TookMS int64    `json:"took_ms,omitempty"`
	Missed []Missed `json:"missed,omitempty"` // the programs asked before it, in order
	Ended  bool     `json:"ended,omitempty"`  // it was ended before there was a result
}

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
	Cut    bool     `json:"cut,omitempty"` // the answer was longer
	Digest string   `json:"digest"`
	TookMS int64    `json:"took_ms"`
	Missed []Missed `json:"missed"`
}
