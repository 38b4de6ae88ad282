package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newResume(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "resume", Short: "End a pause", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.call(c.Context(), wire.OpPause, wire.Pause{On: false}, nil); err != nil {
				return err
			}
			a.say("Afar is at work again.")
			return nil
		},
	}
}
