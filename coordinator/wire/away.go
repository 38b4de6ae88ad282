package wire

// Operations of the switches that hold for all sessions.
const (
	OpAway  = "away"
	OpPause = "pause"
)

// AwayRequest sets when asks leave the terminal. An empty Session means all.
type AwayRequest struct {
	Mode    string `json:"mode"`
	Session string `json:"session,omitempty"`
	ForMS   int64  `json:"for_ms,omitempty"`
}

// AwayReply holds the settings after the change.
type AwayReply = Settings

// PauseRequest sets the kill switch.
type PauseRequest struct {
	On bool `json:"on"`
}

// PauseReply holds the settings after the change.
type PauseReply = Settings

// Settings are the switches that hold for all sessions.
type Settings struct {
	Away      string `json:"away"` // off, on or auto
	AwayUntil int64  `json:"away_until,omitempty"`
	Paused    bool   `json:"paused"`
	// AnswersFrom names the channels whose answers count. If it is empty, all count.
	AnswersFrom []string `json:"answers_from,omitempty"`
}
