package loop

import (
	"fmt"
	"time"
)

// A State is a loop as other programs read it, in the topic loop:current.
type State struct {
	Schema    int       `json:"schema"`
	RunID     string    `json:"run_id"`
	Session   string    `json:"session"`
	UpdatedAt time.Time `json:"updated_at"`
	Verdict   Verdict   `json:"verdict,omitempty"` // of a loop that has ended
	Proven    bool      `json:"proven,omitempty"`
	Stack     []Level   `json:"stack"` // outermost first
}

// A Level is one frame of a State.
type Level struct {
	ID     string `json:"id"`
	Mode   Mode   `json:"mode"`
	Iter   int    `json:"iter"`
	Max    int    `json:"max"`
	Digest string `json:"prompt_digest"` // SHA-256 of the task, in hex
}

// Current is the loop as it stands.
func Current(s Stack) State {
	st := State{Schema: s.Schema, RunID: s.RunID, Session: s.Session, UpdatedAt: s.UpdatedAt, Stack: []Level{}}
	if s.Ended != nil {
		st.Verdict, st.Proven = s.Ended.Verdict, s.Ended.Proven
	}
	for _, f := range s.Frames {
		st.Stack = append(st.Stack, Level{ID: f.ID, Mode: f.Mode, Iter: f.N, Max: f.Max, Digest: f.Digest})
	}
	return st
}

// Brief is the loop in one line: how it stands, how far it is, what its
// innermost goal is.
func Brief(s Stack) string {
	if len(s.Frames) == 0 {
		return "no loop"
	}
	f := s.top()
	return fmt.Sprintf("%s, %d/%d: %s", state(s), f.N, f.Max, line(f.Goal, goalRunes))
}
