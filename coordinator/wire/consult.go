package wire

// Operations of a second opinion. The last two are taken from the command line
// itself alone, and `afar call` does not send them: what they say is a fact.
const (
	OpConsults     = "hook.consults" // a reviewer's call is about to consult
	OpConsultBegin = "consult.begin" // reply: Consult
	OpConsultEnd   = "consult.end"   // Consulted
)

// A Consult says how one may be made.
type Consult struct {
	ID        string   `json:"id"` // to end it with; not to be guessed
	Programs  []string `json:"programs"`
	TimeoutMS int64    `json:"timeout_ms"` // for each program
}

// Consulted says what came of one.
type Consulted struct {
	ID     string   `json:"id"`
	By     string   `json:"by,omitempty"` // the program that answered, "" for none
	Path   string   `json:"path,omitempty"`
	Digest string   `json:"digest,omitempty"` // SHA-256 of the answer in hex
	Bytes  int      `json:"bytes,omitempty"`
	TookMS int64    `json:"took_ms,omitempty"`
	Missed []Missed `json:"missed,omitempty"` // those asked before, in order
	Ended  bool     `json:"ended,omitempty"`  // it was ended before anything came of it
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
	Cut    bool     `json:"cut,omitempty"` // the answer went on
	Digest string   `json:"digest"`
	TookMS int64    `json:"took_ms"`
	Missed []Missed `json:"missed"`
}

// ReadsOnly reports whether an agent of that type, as the host names it, is
// held to reading.
func ReadsOnly(agentType string) bool { return agentType == "alice" || agentType == "afar:alice" }
