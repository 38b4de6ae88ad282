package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderMissed shows a time of a trigger at which nothing ran, and what the trigger would send.
func renderMissed(a ask.Ask, at place) rendered {
	head := "⏰ Trigger <b>" + line(a.Tool, maxWord) + "</b> was due when nothing ran · " +
		line(at.machine, maxPath) + "\n"
	foot := "\n⚙️ would " + line(a.Does, maxWhy)
	if at.link != "" {
		foot += "\n" + at.link
	}
	if a.State != ask.Open {
		foot += "\n" + ending(ask.Card{a})
	}
	said := strings.TrimSpace(redact.Visible(a.Text))
	room := maxText - units(plain(head)) - units(plain(foot))
	shown := "<blockquote>" + escape(elide(said, room)) + "</blockquote>"
	r := rendered{html: head + shown + foot, cut: units(said) > room}
	if a.State == ask.Open {
		r.rows = [][]button{{{"Run ▶️", answerData(a.Nonce, allow)}, {"Skip ⏭", answerData(a.Nonce, deny)}}}
	}
	return r
}
