package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderSuggestion shows a task that is suggested, and who suggests it.
func renderSuggestion(a ask.Ask, at place) rendered {
	head := "💡 <b>" + line(a.Tool, maxWhy) + "</b>\n" + line(a.Suggested.Source, maxPath)
	if a.Suggested.Source == "" {
		head += "Somebody"
	}
	head += " suggests a task · " + line(at.machine, maxPath) + "\n"
	if a.Suggested.Urgency == "urgent" {
		head = "❗️ " + head
	}
	foot := "\n"
	if at.link != "" {
		foot += at.link + "\n"
	}
	switch {
	case a.State == ask.Open:
		foot += "Accept makes a task of it and starts it. A reply accepts it, with your words."
	default:
		foot += ending(ask.Card{a})
	}
	room := maxText - units(plain(head)) - units(plain(foot))
	said := strings.TrimSpace(redact.Visible(a.Text))
	shown, cut := quotedIn(said, room)
	r := rendered{html: head + shown + foot, cut: cut}
	if said == "" {
		r.html = head + foot
	}
	if a.State == ask.Open {
		r.rows = [][]button{{{"Accept ✅", answerData(a.Nonce, allow)}, {"Dismiss ✖️", answerData(a.Nonce, deny)}}}
	}
	return r
}
