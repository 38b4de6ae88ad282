package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/config"
)

func newRestart(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "restart", Short: "Stop the coordinator and start it again", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.personOnly("restart"); err != nil {
				return err
			}
			if err := a.mayRestart(); err != nil {
				return err
			}
			if _, err := a.stop(c.Context(), false); err != nil { // the start says all that a person needs
				return err
			}
			return a.start(c.Context())
		},
	}
}

// mayRestart returns an error if no new coordinator could start after this one ended.
func (a *app) mayRestart() error {
	d, err := a.dirs()
	if err != nil {
		return err
	}
	if _, err := config.Load(d.ConfigFile()); err != nil {
		return fmt.Errorf("nothing was stopped, because a coordinator could not start with these settings: %w", err)
	}
	return nil
}
