package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
)

func newPin(a *app) *cobra.Command {
	c := group("pin", "Fix Afar's home for the hooks", newPinWrite(a))
	c.Hidden = true
	return c
}

// newPinWrite returns the command that install.sh, or the first build from a plugin cache,
// runs to fix the home.
func newPinWrite(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "write", Short: "Fix the home in force for the binaries here", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			if a.inSession() && home.Pinned(a.bin) {
				a.say("The pin stays as it is: a session does not move it.")
				return nil
			}
			d, err := home.FromEnv(a.getenv)
			if err != nil {
				return err
			}
			if err := home.WritePin(a.bin, d); err != nil {
				return err
			}
			d.ForgetPrograms()
			a.say("Pinned to %s.", d.State)
			return nil
		},
	}
}
