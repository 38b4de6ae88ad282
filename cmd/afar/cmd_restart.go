package main

import "github.com/spf13/cobra"

func newRestart(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "restart", Short: "Stop the coordinator and start it again", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.personOnly("restart"); err != nil {
				return err
			}
			if err := a.stop(c.Context()); err != nil {
				return err
			}
			return a.start(c.Context())
		},
	}
}
