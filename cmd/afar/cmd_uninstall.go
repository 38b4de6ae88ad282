package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newUninstall(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Take Afar away again; your own data stays", Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.uninstall() },
	}
}

// uninstall leaves the work to the script that installed.
func (a *app) uninstall() error {
	if err := a.personOnly("uninstall"); err != nil {
		return err
	}
	script := filepath.Join(filepath.Dir(a.bin), "install.sh")
	if _, err := os.Stat(script); err != nil {
		return errors.New("there is no install.sh beside bin/, so these programs were not installed by it; " +
			"take the plugin away with `claude plugin uninstall afar@afar`, then delete " + a.bin)
	}
	run := exec.Command("sh", script, "--uninstall")
	run.Stdin, run.Stdout, run.Stderr = a.stdin, a.stdout, a.stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("install.sh --uninstall: %w", err)
	}
	return nil
}
