package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// renderCheckpoint shows what a task tells its person at a checkpoint, and below it the question
// with a button for each answer that the task offers.
func renderCheckpoint(a ask.Ask, head, foot string, room int) rendered {
	told := strings.TrimSpace(redact.Visible(a.Text))
	shown := elide(told, room*2/3)
	r := rendered{html: head, rows: questionRows(a), cut: shown != told}
	if shown != "" {
		r.html += quoted(shown) + "\n"
	}
	r.html += questionText(a, room-units(plain(quoted(shown)))-1) + foot
	return r
}
