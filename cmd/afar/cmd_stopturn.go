package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newStopTurn(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop-turn SESSION", Short: "End what a session does now, as Esc at its terminal would",
		Example: "afar stop-turn shop-3f2a",
		Args:    exactly("the token of a session (afar status)"),
		Long: "Refuses the open question of a session, cancels its loop, and ends its turn: at once where it\n" +
			"thinks or asks, else when the step is over that runs now. The session itself stays.\n" +
			"It is never taken from inside a session.",
		RunE: func(c *cobra.Command, args []string) error {
			said, err := call(c.Context(), a, wire.OpTurnStop, wire.Named{ID: args[0]}, soon)
			if err != nil {
				return err
			}
			a.say("%s", said.Text)
			return nil
		},
	}
}
