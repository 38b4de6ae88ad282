package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderMissed shows a time of a trigger at which nothing ran, and what the trigger would send.
func renderMissed(a ask.Ask, at place) rendered {
	head, foot := headline(ask.Card{a}, at), "\n"+at.source(a.Cwd, "")
	if a.State != ask.Open {
		head += ending(ask.Card{a}) + "\n"
	}
	head += "⚙️ would " + line(a.Does, maxWhy) + "\n"
	said := strings.TrimSpace(redact.Visible(a.Text))
	room := maxText - units(plain(head)) - units(plain(foot))
	shown := "<blockquote>" + escape(elide(said, room)) + "</blockquote>"
	r := rendered{html: head + shown + foot, cut: units(said) > room}
	if a.State == ask.Open {
		r.rows = rows(ask.Card{a})
	}
	return r
}
