package session

import "time"

// A Halt is the end of a running turn that its person wants. The session's next
// hook brings it about.
type Halt struct {
	By      string    `json:"by"`
	Word    string    `json:"word"` // the prompt that means the halt and nothing else
	At      time.Time `json:"at"`
	EndedAt time.Time `json:"ended_at,omitzero"` // the turn is over
}

// Halting reports whether the running turn of s is to end.
func (s Session) Halting() bool { return s.Halt != nil && s.Halt.EndedAt.IsZero() }

// Runs reports whether s has anything that a halt could end.
func (s Session) Runs() bool {
	return s.State == Working || s.State == Waiting || s.State == Idle && s.Agents
}

// HaltedBy reports whether a prompt is the word of the halt of s.
func (s Session) HaltedBy(prompt string) bool { return s.Halt != nil && s.Halt.Word == prompt }

// EndHalt returns s with its halt carried out.
func EndHalt(s Session, now time.Time) Session {
	if s.Halting() {
		ended := *s.Halt
		ended.EndedAt = now
		s.Halt = &ended
	}
	return s
}
