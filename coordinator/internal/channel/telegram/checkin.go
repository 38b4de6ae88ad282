package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderCheckIn shows a session that stopped: its last message, and how to continue it.
func renderCheckIn(a ask.Ask, at place) rendered {
	head := "💬 <b>" + line(at.token, maxWord) + "</b> · " + line(at.machine, maxPath) + "\nstopped and says:\n"
	foot := "\n📁 " + at.path(at.project) + "\n"
	if at.link != "" {
		foot += at.link + "\n"
	}
	switch {
	case a.State == ask.Open:
		foot += "Reply to this message to go on; also later, while the session runs."
	case a.Decision == nil:
		foot += ending(ask.Card{a})
	case a.Replied():
		foot += "✅ Answered by " + line(a.Decision.By, maxWord) + " at " + clock(a.Decision.At) + " · " + a.Outcome()
	default:
		foot += "💤 Dismissed by " + line(a.Decision.By, maxWord) + " at " + clock(a.Decision.At)
	}
	room := maxText - units(plain(head)) - units(plain(foot))
	said := strings.TrimSpace(redact.Visible(a.Text))
	shown, cut := quotedIn(said, room)
	r := rendered{html: head + shown + foot, cut: cut}
	if a.State == ask.Open {
		r.rows = [][]button{{{"Done 💤", answerData(a.Nonce, allow)}}}
	}
	return r
}
