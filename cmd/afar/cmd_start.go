package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newStart(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "start", Short: "Start the coordinator in the background", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return a.start(c.Context()) },
	}
}

// start starts the coordinator and returns when it answers.
func (a *app) start(ctx context.Context) error {
	if s, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, running); err == nil {
		a.say("The coordinator runs already (pid %d).", s.Coordinator.PID)
		return nil
	}
	s, err := call(ctx, a, wire.OpStatus, wire.StatusRequest{})
	if err != nil {
		return err
	}
	a.say("The coordinator runs (pid %d).", s.Coordinator.PID)
	return nil
}
