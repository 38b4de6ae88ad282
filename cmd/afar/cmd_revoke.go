package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newRevoke(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "revoke ID", Short: "Take back what is allowed for a session, or always",
		Example: "afar revoke 3f2a",
		Args:    exactly("the id of a grant (afar grants)"),
		Long:    "Ends a standing permission at once: the next such call is asked for again.",
	}
	return asking(a, c, wire.OpRevoke, "the grant", func(args []string) (wire.Named, error) {
		if args[0] == "" {
			return wire.Named{}, usage("the id of a grant is empty")
		}
		return named(args)
	}, func(p *terminal.Page, g wire.Grant) {
		what := terminal.OneLine(strings.Join(g.Permits, " · "), 200)
		if len(g.Files) > 0 {
			p.Line("No longer allowed, and taken out of %s: %s", p.Path(strings.Join(g.Files, ", ")), what)
			return
		}
		p.Say("No longer allowed for %s: %s", g.Token, what)
	})
}
