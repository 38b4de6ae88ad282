package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// renderSuggestion shows a task that is suggested, and who suggests it.
func renderSuggestion(a ask.Ask, at place) rendered {
	by := a.Suggested.Source
	if by == "" {
		by = "somebody"
	}
	head, foot := headline(ask.Card{a}, at)+text.Capital(line(by, maxPath))+" suggests this task.\n", "\n"
	if a.Suggested.Urgency == "urgent" {
		head = "❗️ " + head
	}
	switch {
	case a.State == ask.Open:
		foot += "Accept makes a task of it and starts it. A reply accepts it, with your words.\n"
	default:
		head = headline(ask.Card{a}, at) + ending(ask.Card{a}) + "\n"
	}
	foot += at.source(a.Cwd, "")
	room := maxText - units(plain(head)) - units(plain(foot))
	said := strings.TrimSpace(redact.Visible(a.Text))
	shown, cut := quotedIn(said, room)
	r := rendered{html: head + shown + foot, cut: cut}
	if said == "" {
		r.html = strings.TrimSuffix(head, "\n") + foot
	}
	if a.State == ask.Open {
		r.rows = rows(ask.Card{a})
	}
	return r
}
