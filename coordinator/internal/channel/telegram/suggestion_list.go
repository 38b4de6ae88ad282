package telegram

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// openSuggestion is the status of a suggestion about which the person can decide.
const openSuggestion = "open"

// maxSuggestions bounds the suggestions of one list.
const maxSuggestions = 10

const noSuggestions = "No suggestions. An agent that finds more to do suggests a task here, and so does an " +
	"event that fits no task. Only you make a task of one."

// suggestionList shows the suggestions that are open, each with its buttons.
func (l *link) suggestionList() (out rendered, err error) {
	all, err := call(l, Name, wire.OpSuggestions, wire.SuggestionsRequest{})
	if len(all.Suggestions) == 0 {
		return rendered{html: noSuggestions}, err
	}
	var b strings.Builder
	for _, s := range all.Suggestions[:min(len(all.Suggestions), maxSuggestions)] {
		b.WriteString(suggestionLines(s))
		if s.Status != openSuggestion {
			continue
		}
		name := " " + text.Clip(s.Title, maxButtonTitle)
		out.rows = append(out.rows, []button{
			{"Accept ✅" + name, callback{ofSuggestion, s.ID, acceptIt}.String()},
			{"Dismiss ✖️" + name, callback{ofSuggestion, s.ID, dismissIt}.String()},
		})
	}
	if left := len(all.Suggestions) - maxSuggestions; left > 0 {
		fmt.Fprintf(&b, "\nand %s more: <code>afar suggestion list</code>", text.Count(left, "suggestion"))
	}
	out.html = strings.TrimSpace(b.String())
	return out, err
}

// suggestionLines shows a suggestion in a list.
func suggestionLines(s wire.Suggestion) string {
	sign := "💡"
	if s.Urgency == "urgent" {
		sign = "❗️"
	}
	lines := fmt.Sprintf("%s <b>%s</b>\n", sign, line(s.Title, maxWord))
	if about := cmp.Or(s.Summary, s.Why); about != "" {
		lines += fmt.Sprintf("<i>%s</i>\n", line(about, maxReason))
	}
	for _, fault := range s.Faults[:min(len(s.Faults), 1)] {
		lines += "⚠️ suggestions/" + s.ID + ".md, " + line(fault, maxPath) + "\n"
	}
	return lines
}

// The values of a button about a suggestion.
const (
	acceptIt  = "y"
	dismissIt = "n"
)

// tappedSuggestion carries out a tap on a button about a suggestion.
func (l *link) tappedSuggestion(p core.Press, c callback) error {
	if c.value == dismissIt {
		in := wire.SuggestionDismissRequest{ID: c.nonce}
		if _, err := call(l, p.Decision.By, wire.OpSuggestionDismiss, in); err != nil {
			return l.cfg.Core.Acknowledge(p.Act, notDone(err))
		}
		return l.cfg.Core.Acknowledge(p.Act, "Dismissed. It does not come back.")
	}
	in := wire.SuggestionAcceptRequest{ID: c.nonce}
	t, err := call(l, p.Decision.By, wire.OpSuggestionAccept, in)
	if err != nil {
		return l.cfg.Core.Acknowledge(p.Act, notDone(err))
	}
	return l.cfg.Core.ShowTasks(p.Act, wording.TaskMade(t), core.TaskView{Task: task.Slug(t.ID), Started: t.Run != ""})
}
