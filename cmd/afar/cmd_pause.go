package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newPause(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "pause", Short: "Silence everything but the guard", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.call(c.Context(), wire.OpPause, wire.Pause{On: true}, nil); err != nil {
				return err
			}
			a.say("Paused: only the guard speaks. `afar resume` ends it.")
			return nil
		},
	}
}
