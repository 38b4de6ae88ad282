package telegram

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

const rememberUsage = "Say what is worth knowing: `/remember Deploys go through staging`. " +
	"Your agents find it when they search memory. A first line of its own becomes the title."

// remember keeps the text of a command as a fact.
func (l *link) remember(update int64, m message, _ []string) error {
	if m.rest() == "" {
		return l.cfg.Core.Acknowledge(m.act(update), rememberUsage)
	}
	return order(l, l.actOf(update, m), wire.OpMemoryAdd, factOf(m.rest()))
}

// factOf makes a fact of a text. Its title is the first line, or the first words of a long one;
// the fact then holds the whole text too.
func factOf(s string) wire.MemoryAddRequest {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	in := wire.MemoryAddRequest{Title: titleOf(s), Text: strings.TrimSpace(rest)}
	if in.Title != text.Fold(redact.Visible(first)) {
		in.Text = s
	}
	return in
}

// saidRemembered says what became of a fact, and under which name it is kept.
func saidRemembered(_ *link, _ string, f wire.MemoryAddReply) (said, error) {
	name := short(f.ID)
	switch f.Change {
	case "changed":
		return said{text: "🧠 `" + name + "` says this now. What it said before stays in its file."}, nil
	case "unchanged":
		return said{text: "🧠 Memory says that already, in `" + name + "`."}, nil
	}
	return said{text: "🧠 Kept as `" + name + "`. To delete it, in a terminal: `afar memory forget " + name + "`."}, nil
}
