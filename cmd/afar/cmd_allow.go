package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newAllow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "allow ID", Short: "Answer a question with yes, or approve a plan",
		Args: exactly("the id of a question (afar asks)"),
		Long: "Lets the exact call that the question shows run, once. ID may be the beginning of one.\n" +
			"--session also allows what the question offers for the rest of its session, at most an hour, or\n" +
			"what asks.grant in config.toml says\n" +
			"(afar asks shows it first); --always has Claude Code keep what the question says for it.\n" +
			"It is taken from a terminal alone, and never from inside a session.",
	}
	message := c.Flags().StringP("message", "m", "", "a word for the model")
	forSession := c.Flags().Bool("session", false, "and what the question offers, for its session")
	always := c.Flags().Bool("always", false, "and have Claude Code keep what the question says")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *forSession && *always {
			return usageError{errors.New("--session or --always, not both")}
		}
		scope := ""
		switch {
		case *forSession:
			scope = "session"
		case *always:
			scope = "always"
		}
		return a.answer(c.Context(), wire.AnswerRequest{ID: args[0], Allow: true, Message: *message, Scope: scope})
	}
	return c
}

// answer decides an ask and prints the result.
func (a *app) answer(ctx context.Context, in wire.AnswerRequest) error {
	q, err := a.sendAnswer(ctx, in)
	if err != nil {
		return err
	}
	verb := "Denied"
	switch {
	case q.Kind == wording.Suggestion:
		a.say("Suggestion %s: %s", wording.Decided(q), oneLine(q.Tool, 100))
		return nil
	case q.Kind == wording.Missed && in.Allow:
		a.say("Trigger %s fires now.", oneLine(q.Tool, 40))
		return nil
	case q.Kind == wording.Missed:
		a.say("Trigger %s: skipped.", oneLine(q.Tool, 40))
		return nil
	case in.Allow && q.Kind == "plan":
		verb = "Approved"
	case in.Allow:
		verb = "Allowed"
	}
	switch in.Scope {
	case "session":
		a.say("For this session, for a time that `afar grants` shows: %s", oneLine(q.ForSession, 200))
	case "always":
		a.say("From now on: %s", oneLine(q.ForAlways, 200))
	}
	a.say("%s for %s: %s %s", verb, oneLine(q.Token, 40), oneLine(q.Tool, 30), oneLine(q.Input, 100))
	return nil
}
