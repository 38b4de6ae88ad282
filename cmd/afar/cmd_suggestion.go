package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newSuggestion(a *app) *cobra.Command {
	return group("suggestion", "Tasks that agents and events suggest", newSuggestionList(a), newSuggestionAccept(a),
		newSuggestionDismiss(a))
}

func newSuggestionList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the suggestions that are open", Args: exactly()}
	var in wire.SuggestionsRequest
	c.Flags().BoolVar(&in.All, "all", false, "also those that you have decided about")
	return asking(a, c, wire.OpSuggestions, "suggestions", func([]string) (wire.SuggestionsRequest, error) {
		return in, nil
	}, renderSuggestions)
}

func renderSuggestions(p *terminal.Page, in wire.SuggestionsReply) {
	terminal.List(p, view.Suggestions, view.Each(in.Suggestions, view.Suggestion))
	if len(in.Suggestions) > 0 {
		p.Line("\nafar suggestion accept NAME [-m INSTRUCTION] makes a task of one and starts it; " +
			"afar suggestion dismiss NAME ends it.")
	}
}

func newSuggestionAccept(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "accept NAME", Short: "Make a task of a suggestion, and start it",
		Example: "afar suggestion accept renew-the-certificate -m 'Before Friday'",
		Args:    exactly("the name of a suggestion (afar suggestion list)"),
	}
	var in wire.SuggestionAcceptRequest
	c.Flags().StringVarP(&in.Instruction, "instruction", "m", "", "a `text` that you add, in your words")
	return asking(a, c, wire.OpSuggestionAccept, "the task", func(args []string) (wire.SuggestionAcceptRequest, error) {
		in.ID = args[0]
		return in, nil
	}, renderTaskNew)
}

func newSuggestionDismiss(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "dismiss NAME", Short: "Dismiss a suggestion: it does not come back",
		Example: "afar suggestion dismiss renew-the-certificate",
		Args:    exactly("the name of a suggestion (afar suggestion list)"),
	}
	return asking(a, c, wire.OpSuggestionDismiss, "the suggestion", named, func(p *terminal.Page, s wire.Suggestion) {
		p.Say("Suggestion %s is dismissed.", s.ID)
	})
}
