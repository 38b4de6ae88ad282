package wire

// Operations of the coordinator as a whole. Times are unix milliseconds.
const (
	OpStatus   Op[StatusRequest, StatusReply]     = "status"
	OpPing     Op[None, None]                     = "ping"     // does the coordinator answer?
	OpShutdown Op[ShutdownRequest, ShutdownReply] = "shutdown" // replies, then finishes the requests in hand and ends
	OpPerson   Op[Named, None]                    = "person"   // whether the caller may take a decision of another program
)

// StatusRequest asks for what `afar status` shows.
type StatusRequest struct {
	NoSessions bool `json:"no_sessions,omitempty"` // leave the sessions out
}

// StatusReply is everything that `afar status` shows.
type StatusReply struct {
	Coordinator Coordinator `json:"coordinator"`
	Guard       Guard       `json:"guard"`
	Page        Page        `json:"page"`
	Settings    Settings    `json:"settings"`
	Channels    []Channel   `json:"channels"`
	Sessions    []Session   `json:"sessions"`
	Loops       []Loop      `json:"loops"`
	Asks        []Ask       `json:"asks"`
	Background  Background  `json:"background"`
	Fleet       []Check     `json:"fleet,omitempty"` // how the machines of the fleet are; this one first
}

// Background says what the questions that Afar asks a model by itself have cost today, and what
// they may cost.
type Background struct {
	SpentUSD  float64 `json:"spent_usd"`
	BudgetUSD float64 `json:"budget_usd"`
}

// Coordinator describes the running daemon.
type Coordinator struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Since   int64  `json:"since"`
	Home    string `json:"home"`
	Socket  string `json:"socket"`
}

// A Channel is a place where asks are shown and answered.
type Channel struct {
	ID    string `json:"id"`
	State string `json:"state"` // ready, unpaired, off, failing
	Note  string `json:"note,omitempty"`
}

// ShutdownRequest says whether the turns of runs end too. The next coordinator goes on with them.
type ShutdownRequest struct {
	Runs bool `json:"runs,omitempty"`
}

// ShutdownReply says how many turns were ended.
type ShutdownReply struct {
	Runs int `json:"runs,omitempty"`
}
