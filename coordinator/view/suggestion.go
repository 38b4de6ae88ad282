package view

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Suggestions are the tasks that agents and events suggest. They are read in a list alone.
var Suggestions = add(Noun{
	Name: "suggestion", Inner: true,
	Page: true, About: "tasks that agents and events suggest", Phone: []string{"accept", "dismiss"},
	Empty: "No suggestions. An agent that finds more to do suggests a task here instead of beginning it, and so does " +
		"an event that fits no task (`afar send triage TEXT`). Only you make a task of one.",
	List: list(wire.OpSuggestions, wire.SuggestionsRequest{}, func(r wire.SuggestionsReply) []Thing {
		return Each(r.Suggestions, Suggestion)
	}),
	Does: map[string]Act{
		"accept": act(wire.OpSuggestionAccept, func(id string, in Input) wire.SuggestionAcceptRequest {
			return wire.SuggestionAcceptRequest{ID: id, Instruction: strings.TrimSpace(in.Words)}
		}, func(t wire.Task) Done { return Done{Said: wording.TaskMade(t), Task: t.ID, Runs: t.Run != ""} }),
		"dismiss": says(wire.OpSuggestionDismiss, named, "Suggestion %s is dismissed. It does not come back."),
	},
})

// Suggestion shows a suggestion: how urgent it is while it is open, and what became of it later.
func Suggestion(s wire.Suggestion) Thing {
	out := Thing{
		ID: s.ID, Title: s.Title, State: s.Status, Mark: Mark{Muted, "💡"},
		About: s.Summary,
		Texts: []Text{
			{Title: "What would be done", Body: s.Plan, Prose: true}, {Title: "What it is about", Body: s.Context},
		},
		Notes: append(facts(Row{"why", Plain, said(s.Why)}), wrong("suggestions/"+s.ID+".md", s.Faults)...),
	}
	switch {
	case s.Task != "":
		out.State = "task " + s.Task
	case s.Status == "open":
		out.State = text.Series(", ", cmp.Or(s.Urgency, "normal"), text.Only(s.Source != "", "from "+s.Source))
		out.Deeds = []Deed{
			{Key: "accept", Label: "Accept", Sign: "✅", Tone: Good, Words: "What you add, in your words"},
			{Key: "dismiss", Label: "Dismiss", Sign: "✖️", Tone: Bad},
		}
		if s.Urgency == "urgent" {
			out.Mark = Mark{Ask, "❗️"}
		}
	}
	return out
}
