package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Suggestion is the kind of ask in which a task is suggested. An allow makes the task.
const Suggestion Kind = "suggestion"

// SuggestionFor is how long the card of a suggestion accepts an answer. The suggestion itself
// stays open.
const SuggestionFor = 7 * 24 * time.Hour

// A Suggested is the task that is suggested.
type Suggested struct {
	Name    string `json:"name"` // of the suggestion
	Source  string `json:"source"`
	Urgency string `json:"urgency"`
}

// NewSuggestion returns the ask about a suggestion with a title and a text. The same one has the
// same id.
func NewSuggestion(s Suggested, title, date, text string) Ask {
	sum := sha256.Sum256([]byte(s.Name + "\x00" + title + "\x00" + date))
	hash := hex.EncodeToString(sum[:])
	return Ask{
		ID:        ID("ask_s" + hash[:20]),
		Kind:      Suggestion,
		Tool:      title,
		Text:      keep(text),
		Hash:      hash,
		Suggested: &s,
	}
}

// ForSuggestion returns a decision whose text is the person's instruction. A text accepts.
func (d Decision) ForSuggestion(text string) Decision {
	if text != "" {
		d.Allow, d.Message = true, text
	}
	return d
}

// outcomeSuggestion returns the result of Outcome for a suggestion.
func (a Ask) outcomeSuggestion() string {
	switch {
	case a.Decision == nil:
		return ""
	case a.Decision.Allow:
		return "becomes a task"
	}
	return "does not come back"
}
