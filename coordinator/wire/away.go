package wire

// Operations of the switches that hold for all sessions.
const (
	OpAway  Op[AwayRequest, Settings]  = "away"
	OpPause Op[PauseRequest, Settings] = "pause"
)

// AwayRequest sets when asks leave the terminal. An empty Session means all.
type AwayRequest struct {
	Mode    string `json:"mode"`
	Session string `json:"session,omitempty"`
	ForMS   int64  `json:"for_ms,omitempty"`
}

// PauseRequest sets the kill switch. With a project it decides only about that one, which asks for
// silence: On lets it be silent.
type PauseRequest struct {
	On      bool   `json:"on"`
	Project string `json:"project,omitempty"` // its absolute path
}

// Settings are the switches that hold for all sessions.
type Settings struct {
	Away      string `json:"away"` // off, on or auto
	AwayUntil int64  `json:"away_until,omitempty"`
	Paused    bool   `json:"paused"`
	// AnswersFrom names the channels whose answers count. If it is empty, all count.
	AnswersFrom []string `json:"answers_from,omitempty"`
	// Silenced are the projects that ask for silence.
	Silenced []Silence `json:"silenced,omitempty"`
}

// A Silence is a project that asks for silence. Heard says that the person has Afar work there all the
// same.
type Silence struct {
	Project string `json:"project"`
	Why     string `json:"why"`
	Heard   bool   `json:"heard"`
}
