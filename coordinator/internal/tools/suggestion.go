package tools

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/wire"
)

type suggestArgs struct {
	Title   string `json:"title" jsonschema:"the task in one short line"`
	Summary string `json:"summary,omitempty" jsonschema:"what is to be done"`
	Why     string `json:"why,omitempty" jsonschema:"what it is good for, and what happens without it"`
	Plan    string `json:"plan,omitempty" jsonschema:"the steps that you would take"`
	Context string `json:"context,omitempty" jsonschema:"what the one who does it has to know"`
	Urgency string `json:"urgency,omitempty" jsonschema:"urgent, normal or low; normal if it is left out"`
}

const aboutSuggest = "Suggest a task to the person: work that should be done and is not part of yours. They " +
	"accept it, and an agent then works on it, or dismiss it. Only the person makes a task. Suggest each one once."

func (s *Server) offerSuggestions() {
	offer(s, wire.ToolSuggestTask, aboutSuggest, suggestTask)
}

func suggestTask(c call, in suggestArgs) (string, error) {
	out, err := ask(c, wire.OpSuggest, wire.SuggestRequest{
		Title:   in.Title,
		Urgency: in.Urgency,
		Summary: in.Summary,
		Why:     in.Why,
		Plan:    in.Plan,
		Context: in.Context,
	})
	switch {
	case err != nil:
		return "", err
	case out.Place == "dismissed":
		return fmt.Sprintf("The person has dismissed this before (%s). Do not suggest it again.", out.ID), nil
	case out.Place == "folded":
		return fmt.Sprintf("It is open already, as %s. Do not suggest it again.", out.ID), nil
	}
	return fmt.Sprintf("Suggested as %s. The person decides; go on with your own work.", out.ID), nil
}
