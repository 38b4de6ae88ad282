package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newDeny(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "deny ID", Short: "Answer a question with no", Args: exactly("the id of a question (afar asks)"),
		Example: "afar deny 3f2a -m 'Open a pull request instead'",
		Long:    "Refuses the call that the question shows. ID may be the beginning of one.",
	}
	message := c.Flags().StringP("message", "m", "", "a `text`: what the model should do instead")
	asJSON := jsonFlag(c, "the question")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.answer(c.Context(), wire.AnswerRequest{ID: args[0], Message: *message}, *asJSON)
	}
	return c
}
