package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
)

// maxAsking bounds the words of an MCP server above its fields, in units.
const maxAsking = 1200

// renderElicitation shows the request of an MCP server: its text, then the current field.
// The text of the server is set apart from Afar's own.
func renderElicitation(a ask.Ask, head, foot string, room int) rendered {
	asking := elide(strings.TrimSpace(redact.Visible(a.Text)), min(maxAsking, room/2))
	r := rendered{html: head + "<blockquote>" + escape(asking) + "</blockquote>"}
	room -= units(asking) + 1
	if a.Form != nil {
		r.html += "\n" + questionText(a, room)
	}
	r.html += foot
	if a.State == ask.Open {
		r.rows = append(questionRows(a), rows(ask.Card{a})...)
	}
	return r
}

// fieldHow says how a field is filled in.
func fieldHow(q ask.Question) string {
	switch values := len(q.Options) > 0 && q.Options[0].Does == ""; {
	case q.Multi:
		return "Tap all that fit, then Done; or reply with their names."
	case values:
		return "Tap one, or reply with its name."
	}
	return "Reply with it."
}
