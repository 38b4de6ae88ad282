package telegram

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wording"
)

// maxLabel bounds the label of an option's button, in UTF-16 units. The card shows the
// whole label.
const maxLabel = 40

// questionRows returns one button for each option of the current question.
func questionRows(a ask.Ask) (rows [][]button) {
	q, ok := a.Form.Current()
	if !ok || a.State != ask.Open {
		return nil
	}
	for i, o := range q.Options {
		label := shorten(oneLine(o.Label), maxLabel)
		if label == "" {
			label = strconv.Itoa(i + 1)
		}
		if q.Multi && slices.Contains(q.Picked, i) {
			label += " ✅"
		}
		rows = append(rows, []button{{label, optionData(a.Nonce, a.Form.At, i)}})
	}
	if q.Multi && len(q.Options) > 0 {
		rows = append(rows, []button{{"Done ➡️", doneData(a.Nonce, a.Form.At)}})
	}
	return rows
}

func oneLine(s string) string { return redact.Visible(text.Fold(s)) }

// questionText shows the earlier answers and the current question with its options, in at
// most room units. If there is not enough room, each part is shortened.
func questionText(a ask.Ask, room int) string {
	for most := 1000; ; most /= 2 {
		text := strings.Join(questionLines(a, most), "\n")
		if units(plain(text)) <= room || most < 20 {
			return text
		}
	}
}

func questionLines(a ask.Ask, most int) []string {
	now, open := a.Form.Current()
	open = open && a.State == ask.Open
	out := answerLines(a, open, most)
	if !open {
		return out
	}
	count := ""
	if n := len(a.Form.Questions); n > 1 {
		count = fmt.Sprintf("%d/%d ", a.Form.At+1, n)
	}
	if a.Kind == ask.Elicitation || units(oneLine(count+now.Text)) > maxRequest { // the first line has it else
		out = append(out, count+"<b>"+line(now.Text, most)+"</b>")
	}
	if now.Hint != "" {
		out = append(out, line(now.Hint, most))
	}
	out = append(out, optionLines(now, most)...)
	return append(out, "<i>"+answerHow(now)+"</i>")
}

// answerLines returns the answers so far: those before the current question while it is open, all
// when it is over.
func answerLines(a ask.Ask, open bool, most int) (out []string) {
	for i, q := range a.Form.Questions {
		if open && i >= a.Form.At {
			break
		}
		answer := "no answer"
		if (a.Decision != nil || open) && q.Answer() != "" {
			answer = "<b>" + line(q.Answer(), most) + "</b>"
		}
		out = append(out, line(q.Text, most)+" → "+answer)
	}
	return out
}

// optionLines returns the options of a question, numbered.
func optionLines(q ask.Question, most int) (out []string) {
	for i, o := range q.Options {
		if o.Does != "" {
			break // its button says enough
		}
		text := fmt.Sprintf("%d. %s", i+1, line(o.Label, most))
		if o.Description != "" {
			text += ": " + line(o.Description, most)
		}
		out = append(out, text)
	}
	return out
}

// answerHow says how a question can be answered.
func answerHow(q ask.Question) string {
	switch {
	case q.Field != nil:
		return fieldHow(q)
	case len(q.Options) == 0:
		return "Reply in your own words."
	case q.Multi:
		return "Tap all that fit, then Done; or reply in your own words."
	}
	return "Tap one, or reply in your own words."
}

// decisions are the signs of what the person decided, by its words. Without one they said yes.
var decisions = map[string]string{
	"denied": "⛔", "declined": "⛔", "sent back": "↩️", "skipped": "⏭", "run": "▶️", "dismissed": "✖️",
	"let rest": "💤",
}

// decided says what the person decided, with a sign in front.
func decided(a ask.Ask) string {
	if a.Decision.Interrupt {
		return "⏹ Stopped"
	}
	did := wording.Decided(channel.Asked(a))
	sign, said := cmp.Or(decisions[did], "✅"), text.Capital(did)
	switch {
	case a.Kind == ask.Plan && a.Decision.AcceptEdits:
		said += ", edits accepted,"
	case did == "allowed":
		said += reach(a)
	}
	return sign + " " + said
}
