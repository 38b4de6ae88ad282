package usage

import (
	"encoding/json"
	"time"
)

// A Step is one tool call of a session, as the host's files show it.
type Step struct {
	At     time.Time
	Tool   string
	Input  json.RawMessage // as the model gave it; may hold secrets
	Ended  bool            // it has a result; the fields below are set then
	Took   time.Duration
	Failed bool // it failed, or was refused
}
