package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newGrants(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "grants", Short: "Show what is allowed for the rest of a session", Args: exactly(),
		Long: "Shows the standing permissions. Each ends with its session, after the time that it shows, or by afar " +
			"revoke.",
	}
	asJSON := jsonFlag(c, "grants")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpGrants, nil, *asJSON, renderGrants)
	}
	return c
}

func renderGrants(p *page, in wire.GrantsReply) {
	if len(in.Grants) == 0 {
		p.line("No standing permissions.")
		return
	}
	for _, g := range in.Grants {
		p.line("%s  %s  by %s, ends %s", p.paint(bold, oneLine(g.ID, 80)), oneLine(g.Token, 40), oneLine(g.By, 60),
			p.left(g.ExpiresAt))
		for _, text := range g.Permits {
			p.line("    %s", oneLine(text, 200))
		}
	}
	p.line("Take one back: afar revoke ID")
}
