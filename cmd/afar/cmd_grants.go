package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newGrants(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "grants", Short: "Show what is allowed for the rest of a session, or always", Args: exactly(),
		Long: "Shows the standing permissions. Each ends with its session, after the time that it shows, or by afar " +
			"revoke.\nWhat --always allowed stands in the settings of Claude Code; afar revoke takes it out of that file.",
	}
	return asking(a, c, wire.OpGrants, "grants", nil, terminal.Grants)
}
