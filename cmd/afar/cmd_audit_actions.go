package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/terminal"
)

func newAuditActions(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "actions", Short: "Show the calls that reached other machines or people", Args: exactly(),
		Example: "afar audit actions -n 20",
		Long: "Shows the last calls of all sessions that reached other machines or people, or would have done so:\n" +
			"network clients, pushes, publishing, and tools of servers that do more than look. All of them are in\n" +
			"the workspace, in audit/actions.log.",
	}
	var l logging
	c.Flags().BoolVar(&l.asJSON, "json", false, "print JSON: the lines as they are")
	c.Flags().IntVarP(&l.last, "lines", "n", 50, "the `number` of lines of the past")
	c.RunE = func(c *cobra.Command, _ []string) error {
		err := a.tail(c.Context(), home.Dirs.Actions, l, l.orAsIs(terminal.Act))
		if !errors.Is(err, errNoLines) {
			return err
		}
		if !l.asJSON {
			a.say("No call has reached others yet.")
		}
		return nil
	}
	return c
}
