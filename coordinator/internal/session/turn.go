package session

import "time"

// A Halt is the person's request to end the running turn. The session's next hook
// carries it out.
type Halt struct {
	By      string    `json:"by"`
	Word    string    `json:"word"` // the prompt that means the halt and nothing else
	At      time.Time `json:"at"`
	EndedAt time.Time `json:"ended_at,omitzero"` // the turn is over
}

// Halting reports whether the running turn of s must end.
func (s Session) Halting() bool { return s.Halt != nil && s.Halt.EndedAt.IsZero() }

// Runs reports whether anything runs in s that a halt could end.
func (s Session) Runs() bool {
	switch s.State {
	case Working, Waiting:
		return true
	case Idle:
		return s.Agents
	}
	return false
}

// HaltedBy reports whether a prompt is the word that means the halt of s.
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
