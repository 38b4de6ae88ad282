package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newRevoke(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "revoke ID", Short: "Take back what is allowed for a session, or always",
		Args: exactly("the id of a grant (afar grants)"),
		Long: "Ends a standing permission at once: the next such call is asked for again.",
	}
	asJSON := jsonFlag(c, "the grant")
	c.RunE = func(c *cobra.Command, args []string) error {
		if args[0] == "" {
			return usageError{errors.New("the id of a grant is empty")}
		}
		var g wire.Grant
		if err := call(c.Context(), a, wire.OpRevoke, wire.Named{ID: args[0]}, &g); err != nil {
			return err
		}
		if *asJSON {
			return a.printJSON(g)
		}
		if len(g.Files) > 0 {
			a.say("No longer allowed, and taken out of %s: %s", a.page().path(strings.Join(g.Files, ", ")),
				oneLine(strings.Join(g.Permits, " · "), 200))
			return nil
		}
		a.say("No longer allowed for %s: %s", oneLine(g.Token, 40), oneLine(strings.Join(g.Permits, " · "), 200))
		return nil
	}
	return c
}
