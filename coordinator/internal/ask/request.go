package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
)

// changing are the tools whose text begins with the path of a file, before what changes in it.
var changing = []string{"Write", "Edit", "MultiEdit", "NotebookEdit"}

// Request returns in one line what a wants of the person: the part of a command that the guard asks about, the file
// and how much changes in it, the question, the name of the plan. short returns a path as it is shown.
func (a Ask) Request(short func(path string) string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(a.Text), "\n")
	said := text.Fold(cmp.Or(a.Part, a.Text))
	switch {
	case a.Kind == Elicitation && a.Text != "":
		return a.Tool + " asks: " + said
	case a.Form != nil && len(a.Form.Questions) > 0:
		return a.Form.asks()
	case a.Kind == Plan:
		return "Plan: " + planned(a.Text)
	case a.Kind == CheckIn:
		return text.Fold(marks.Replace(first))
	case a.Kind == Proposal:
		return "Start a run: " + said
	case a.Kind == Widen:
		return "Write " + short(a.Text)
	case a.Kind == WakeUp:
		return "Wake me when this succeeds: " + said
	case a.Kind == Missed:
		return "was due when nothing ran"
	case a.Kind == Suggestion:
		return text.Fold(a.Tool)
	case a.Tool == "Bash":
		return said
	case slices.Contains(changing, a.Tool):
		return strings.TrimSpace(a.Tool + " " + text.Fold(short(first)) + size(rest))
	case strings.HasPrefix(first, "/"):
		return a.Tool + " " + text.Fold(short(first)+" "+rest)
	}
	return strings.TrimSpace(text.Fold(a.Tool) + " " + said)
}

// marks takes what makes a text Markdown out of a line of it.
var marks = strings.NewReplacer("**", "", "`", "", "#", "")

// planned returns the first line of a plan that says more than that it is one.
func planned(plan string) string {
	for line := range strings.Lines(plan) {
		line = text.Fold(marks.Replace(line))
		if len(line) >= len("Plan") && strings.EqualFold(line[:len("Plan")], "Plan") {
			line = strings.TrimSpace(strings.TrimPrefix(line[len("Plan"):], ":"))
		}
		if line != "" {
			return line
		}
	}
	return "no text"
}

// asks returns the question that is to be answered now, else the last one.
func (f *Form) asks() string {
	at := min(f.At, len(f.Questions)-1)
	if len(f.Questions) == 1 {
		return text.Fold(f.Questions[0].Text)
	}
	return fmt.Sprintf("%d/%d %s", at+1, len(f.Questions), text.Fold(f.Questions[at].Text))
}

// size says how many lines a change adds and removes, "" where that is unknown.
func size(change string) string {
	var added, removed int
	for line := range strings.Lines(change) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	switch {
	case added+removed == 0:
		return ""
	case removed == 0:
		return fmt.Sprintf(" (+%d)", added)
	case added == 0:
		return fmt.Sprintf(" (−%d)", removed)
	}
	return fmt.Sprintf(" (+%d −%d)", added, removed)
}
