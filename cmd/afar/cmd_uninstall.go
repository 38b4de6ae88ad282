package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newUninstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Take Afar away again; your own data stays", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return a.uninstall(c.Context()) },
	}
}

// uninstall runs the script that installed Afar.
func (a *app) uninstall(ctx context.Context) error {
	if err := a.personOnly("uninstall"); err != nil {
		return err
	}
	script := filepath.Join(filepath.Dir(a.bin), "install.sh")
	if _, err := os.Stat(script); err != nil {
		return errors.New("there is no install.sh next to bin/, so these programs were not installed by it; " +
			"take the plugin away with `claude plugin uninstall afar@afar`, then delete " + a.bin)
	}
	return a.step(ctx, "install.sh --uninstall", "sh", script, "--uninstall")
}
