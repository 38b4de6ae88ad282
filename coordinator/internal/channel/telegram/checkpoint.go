package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderCheckpoint shows what a task asks at a checkpoint, with a button for each answer that the
// task offers, and below it what the person must know for it. The question comes first: a lock
// screen shows no more.
func renderCheckpoint(a ask.Ask, head, foot string, room int) rendered {
	told := strings.TrimSpace(redact.Visible(a.Text))
	shown, cut := quotedIn(told, room*2/3)
	question := questionText(a, room-units(plain(shown))-1)
	if told != "" {
		question += "\n" + shown
	}
	return rendered{html: head + question + foot, rows: questionRows(a), cut: cut}
}
