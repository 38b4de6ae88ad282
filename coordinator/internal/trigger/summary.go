package trigger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// Bounds of what is told of a conversation that is gone, in characters.
const (
	mostExchanged = 12 // texts and results, the newest ones
	maxExchanged  = 400
	maxLast       = 2000 // of the last result
)

// An exchange is a text that a run got, or the result of one of its turns.
type exchange struct {
	at       time.Time
	how, raw string
}

// Anew says to the agent of a new conversation that it continues the one of an earlier run, and what
// that was about: the newest texts and results, and the last result at length. nonce marks them as
// data.
func Anew(old run.Run, events []run.Event, texts []message.Message, nonce string) string {
	said := fmt.Sprintf("Afar: this continues an earlier conversation that cannot be resumed any more (%s).\n"+
		"You do not have its texts. ", text.Count(old.Turns, "turn"))
	lines := exchanged(events, texts)
	if last := withoutSecrets(old.Result, maxLast); last != "" {
		lines = append(lines, "", "Its last result:", last)
	}
	if len(lines) == 0 {
		return said + "Nothing is known of it.\n\n"
	}
	return said + fmt.Sprintf("What is known of it, the oldest first:\n<data-%s>\n%s\n</data-%s>\n\n",
		nonce, strings.Join(lines, "\n"), nonce)
}

// exchanged returns a line for each text that a run got and for what each turn came to, in the order
// of time.
func exchanged(events []run.Event, texts []message.Message) (lines []string) {
	var all []exchange
	for _, m := range texts {
		told := "it was told by "
		if m.State == message.Pending {
			told = "it has not read, from "
		}
		all = append(all, exchange{m.At, told + short(m.By), m.Text})
	}
	for _, e := range events {
		if e.Kind == run.Result && e.Text != "" {
			all = append(all, exchange{e.At, "it came to", e.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b exchange) int { return a.at.Compare(b.at) })
	if left := len(all) - mostExchanged; left > 0 {
		lines, all = append(lines, "("+text.Count(left, "earlier text")+" left out)"), all[left:]
	}
	for _, e := range all {
		lines = append(lines, "- "+e.at.Format("2006-01-02 15:04")+" "+e.how+": "+short(e.raw))
	}
	return lines
}

// short returns a text in one line.
func short(s string) string { return text.Fold(withoutSecrets(s, maxExchanged)) }

// withoutSecrets returns the beginning of a text without secrets, at most most characters of it.
func withoutSecrets(s string, most int) string {
	return text.Clip(redact.Clean(text.ClipBytes(s, 10*most)), most)
}
