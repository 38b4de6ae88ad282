package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderCheckIn shows a session that stopped: its last message, and how to continue it.
func renderCheckIn(a ask.Ask, at place) rendered {
	card := ask.Card{a}
	head, foot := headline(card, at), "\n"
	switch {
	case a.State == ask.Open:
		foot += "Reply to this message to go on; also later, while the session runs.\n"
	default:
		head += ending(card) + "\n"
	}
	foot += at.source(a.Cwd, "")
	room := maxText - units(plain(head)) - units(plain(foot))
	said := strings.TrimSpace(redact.Visible(a.Text))
	shown, cut := quotedIn(said, room)
	if said == a.Request(at.near) && units(said) <= maxRequest { // the first line has it
		head, shown = strings.TrimSuffix(head, "\n"), ""
	}
	r := rendered{html: head + shown + foot, cut: cut}
	if a.State == ask.Open {
		r.rows = rows(card)
	}
	return r
}
