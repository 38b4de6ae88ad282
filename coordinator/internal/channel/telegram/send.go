package telegram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxTexts bounds the texts of one list.
const maxTexts = 8

const noSuchText = "No text has these words, neither in itself nor in its address, its sender or its outcome."

// inbox shows the newest texts that have the words after the command.
func inbox(l *link, act channel.Act, words []string) error {
	act.As = strings.Join(words, " ")
	return order(l, act, wire.OpInbox, wire.InboxRequest{Find: act.As, Last: maxTexts + 1})
}

// saidInbox shows texts, the newest first, and what became of them. find is what they were searched for.
func (l *link) saidInbox(find string, all wire.InboxReply) (said, error) {
	if len(all.Messages) == 0 && find != "" {
		return said{show: &rendered{html: noSuchText}}, nil
	}
	slices.Reverse(all.Messages)
	older := len(all.Messages) > maxTexts
	all.Messages = all.Messages[:min(len(all.Messages), maxTexts)]
	list := l.thingList(view.Texts, all)
	if older {
		list.html += "\n\nOlder ones: <code>/inbox WORDS</code>, or the page"
	}
	return said{show: &list}, nil
}

// saidSessions lists the first sessions.
func (l *link) saidSessions(_ string, some wire.SessionsReply) (said, error) {
	list := l.thingList(view.Sessions, some)
	if left := some.All - len(some.Sessions); left > 0 {
		list.html += fmt.Sprintf("\n\nand %s more: <code>afar status</code>", text.Count(left, "session"))
	}
	return said{show: &list}, nil
}
