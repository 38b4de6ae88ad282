package run

import (
	"cmp"
	"slices"
	"time"
)

// A Doing is the newest call that has not ended, zero for none.
type Doing struct {
	Tool  string    `json:"tool"`
	Call  string    `json:"call"`
	Input string    `json:"input,omitempty"` // as the agent wrote it, "" for a long one
	At    time.Time `json:"at"`
}

// mostInput bounds Doing.Input, in bytes: it is stored with each event.
const mostInput = 16 << 10

// after returns what is being done after an event.
func (d Doing) after(e Event, now time.Time) Doing {
	switch {
	case e.Kind == ToolStart && len(e.Text) > mostInput: // half an input could not be read
		return Doing{Tool: e.Tool, Call: e.Call, At: now}
	case e.Kind == ToolStart:
		return Doing{Tool: e.Tool, Call: e.Call, Input: e.Text, At: now}
	case e.Kind == ToolResult && e.Call == d.Call, e.Kind == Result:
		return Doing{}
	}
	return d
}

// Now returns the call that runs, zero for none.
func (r Run) Now() Doing {
	if !r.Busy() {
		return Doing{}
	}
	return r.Turn.Doing
}

// order is the order of the states in lists: what needs a person comes first.
var order = []State{Waiting, Failed, Working, Starting, Queued, Taken}

// A Rank is the place of a run in a list.
type Rank struct {
	place int
	since int64 // in unix nanoseconds
}

// RankOf returns the rank of a run.
func RankOf(r Run) Rank { return Rank{place(r), r.Since.UnixNano()} }

// Compare puts what needs a person first, then what works, then what is over. Among equals
// the newest comes first.
func (a Rank) Compare(b Rank) int {
	return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(b.since, a.since))
}

// EndedBefore reports whether a run of this rank, and of each later one, was over before a time.
func (a Rank) EndedBefore(at time.Time) bool { return a.place == len(order) && a.since < at.UnixNano() }

func place(r Run) int {
	if i := slices.Index(order, r.State); i >= 0 {
		return i
	}
	return len(order)
}
