package core

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// seen returns the asks of open whose cards the person had seen when they wrote p. A
// text never answers a question that is younger than the text.
func (p Press) seen(open []ask.Ask) []ask.Ask {
	return slices.DeleteFunc(slices.Clone(open), func(a ask.Ask) bool { return !slices.Contains(p.Seen, a.CardID()) })
}

// tooEarly says why a text decided none of so many open questions.
func tooEarly(questions int) string {
	if questions == 1 {
		return "⏳ This question was asked after your message, so nothing was decided. " +
			"Tap a button or reply to the card."
	}
	return "⏳ These questions were asked after your message, so nothing was decided. Tap a button or reply to a card."
}
