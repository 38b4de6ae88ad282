package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newStatus(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "status", Short: "Show sessions, loops, open questions, channels", Args: exactly(),
		Example: "afar status --json",
		Long: "Shows the sessions with what they are about, their model, context and todos as far as Claude Code " +
			"tells,\n" +
			"the loops, what waits for you, and the channels. afar watch keeps them on the screen.",
	}
	asJSON := jsonFlag(c, "coordinator, page, settings, channels, sessions, loops, asks, background, fleet")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpStatus, wire.StatusRequest{}, *asJSON, terminal.Status)
	}
	return c
}
