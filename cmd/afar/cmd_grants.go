package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newGrants(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "grants", Short: "Show what is allowed for the rest of a session, or always", Args: exactly(),
		Long: "Shows the standing permissions. Each ends with its session, after the time that it shows, or by afar " +
			"revoke.\nWhat --always allowed stands in the settings of Claude Code; afar revoke takes it out of that file.",
	}
	return asking(a, c, wire.OpGrants, "grants", nil, renderGrants)
}

func renderGrants(p *page, in wire.GrantsReply) {
	if len(in.Grants) == 0 {
		p.line("No standing permissions.")
		return
	}
	for _, g := range in.Grants {
		ends := "ends " + p.left(g.ExpiresAt)
		if len(g.Files) > 0 {
			ends = "always: kept by Claude Code in " + p.path(strings.Join(g.Files, ", "))
		}
		p.line("%s  %s  by %s, %s", p.paint(bold, oneLine(g.ID, 80)), oneLine(g.Token, 40), oneLine(g.By, 60), ends)
		for _, text := range g.Permits {
			p.line("    %s", oneLine(text, 200))
		}
	}
	p.line("Take one back: afar revoke ID")
}
