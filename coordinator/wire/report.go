package wire

// OpReport asks what happened since a time.
const OpReport Op[ReportRequest, ReportReply] = "report"

// ReportRequest names the time, in unix milliseconds.
type ReportRequest struct {
	Since int64 `json:"since"`
}

// ReportReply is what happened since a time.
type ReportReply struct {
	Since   int64          `json:"since"`
	Until   int64          `json:"until"`
	Asks    []ReportedAsk  `json:"asks"`    // opened, settled or waiting in that time, oldest first
	Counts  map[string]int `json:"counts"`  // entries of the journal, by kind
	Loops   []Entry        `json:"loops"`   // loops that ended, with their verdicts; the last 50
	Issues  []Entry        `json:"issues"`  // issues that a loop landed or paused; the last 50
	Refused []Entry        `json:"refused"` // refused decisions from inside a session; the last 50
	Denied  []Entry        `json:"denied"`  // calls that the guard denied; the last 50
	// Overridden are calls that the guard denied, or never saw, and that ran; the last 50.
	Overridden []Entry `json:"overridden"`
	Spent      []Spent `json:"spent"` // what the sessions of that time used in it, in order of time
	// Runs came to rest in that time, and Ended are the loops that ended, with their goals; the newest first.
	Runs  []Run  `json:"runs"`
	Ended []Loop `json:"ended"`
}

// A Spent is what sessions used in the ten minutes that begin At, at list prices.
type Spent struct {
	At  int64   `json:"at"`
	USD float64 `json:"usd"`
}

// A ReportedAsk is an ask and its outcome.
type ReportedAsk struct {
	Ask
	WaitedMS int64  `json:"waited_ms"` // until it was settled, or until now
	How      string `json:"how"`       // who settled it and how, in one line
}
