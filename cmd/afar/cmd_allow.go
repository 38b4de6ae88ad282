package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newAllow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "allow ID", Short: "Answer a question with yes, or approve a plan", Args: exactly("the id of a question (afar asks)"),
		Long: "Lets the exact call that the question shows run, once. ID may be the beginning of one.\n" +
			"It is taken from a terminal alone, and never from inside a session.",
	}
	message := c.Flags().StringP("message", "m", "", "a word for the model")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.answer(c.Context(), wire.Answer{ID: args[0], Allow: true, Message: *message})
	}
	return c
}

// answer decides an ask and says how it stands.
func (a *app) answer(ctx context.Context, in wire.Answer) error {
	q, err := a.sendAnswer(ctx, in)
	if err != nil {
		return err
	}
	verb := "Denied"
	switch {
	case in.Allow && q.Kind == "plan":
		verb = "Approved"
	case in.Allow:
		verb = "Allowed"
	}
	a.say("%s for %s: %s %s", verb, oneLine(q.Token, 40), oneLine(q.Tool, 30), oneLine(q.Input, 100))
	return nil
}
