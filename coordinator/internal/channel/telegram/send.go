package telegram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxTexts bounds the texts of one list.
const maxTexts = 8

const (
	noTexts    = "No texts. Write one: `/send NAME TEXT`, to a session, a run as `run:NAME` or a task as `task:SLUG`."
	noSuchText = "No text has these words, neither in itself nor in its address, its sender or its outcome."
)

// inbox shows the newest texts that have the words after the command.
func inbox(l *link, act channel.Act, words []string) error {
	act.As = strings.Join(words, " ")
	return order(l, act, wire.OpInbox, wire.InboxRequest{Find: act.As, Last: maxTexts + 1})
}

// saidInbox shows texts, the newest first, and what became of them. find is what they were searched for.
func (l *link) saidInbox(find string, all wire.InboxReply) (said, error) {
	if len(all.Messages) == 0 {
		none := rendered{html: ticks(noTexts)}
		if find != "" {
			none.html = noSuchText
		}
		return said{show: &none}, nil
	}
	slices.Reverse(all.Messages)
	var b strings.Builder
	for _, m := range all.Messages[:min(len(all.Messages), maxTexts)] {
		b.WriteString(l.textLines(m))
	}
	if len(all.Messages) > maxTexts {
		b.WriteString("\nOlder ones: <code>/inbox WORDS</code>, or the page")
	}
	return said{show: &rendered{html: strings.TrimSpace(b.String())}}, nil
}

// textLines shows a text in a list.
func (l *link) textLines(m wire.Message) string {
	to := "to <b>" + line(m.To, maxWord) + "</b>"
	switch m.To {
	case "":
		to = "you were asked to whom"
	case wire.ToPerson:
		to = "to you"
	}
	from := line(m.By, maxWord)
	if !m.Words && m.To != wire.ToPerson {
		from += " (data)"
	}
	return fmt.Sprintf("%s %s, %s, from %s · %s\n<i>%s</i>\n↳ %s\n", textSign(m.State), line(m.State, maxWord), to,
		from, l.clock(m.At), line(m.Text, maxReason), line(m.Outcome, maxWord))
}

// textSign is the picture for the state of a text.
func textSign(state string) string {
	switch state {
	case "unrouted":
		return "❓"
	case "pending":
		return "⏳"
	case "delivered":
		return "📨"
	}
	return "✅"
}
