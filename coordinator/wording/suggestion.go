package wording

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Suggestion is the kind of an ask in which a task is suggested.
const Suggestion = "suggestion"

// SuggestionStatus returns the words for what a suggestion is: how urgent while it is open, and
// what became of it later.
func SuggestionStatus(s wire.Suggestion) string {
	switch {
	case s.Task != "":
		return "task " + s.Task
	case s.Status != "open":
		return s.Status
	}
	words := []string{s.Urgency}
	if s.Source != "" {
		words = append(words, "from "+s.Source)
	}
	return strings.Join(words, ", ")
}
