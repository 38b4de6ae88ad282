package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newUpdate(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "update", Short: "Bring the clone that Afar was installed from up to date, and install it",
		Args: exactly(),
		Long: "Runs `git pull --ff-only` in the clone that Afar was installed from, then its install.sh. Where the " +
			"clone has\n" +
			"commits or changes of its own in the way, nothing is changed and git says what it is. Where Afar came from a\n" +
			"release archive or with the plugin, it says how to bring that up to date.",
		RunE: func(c *cobra.Command, _ []string) error { return a.update(c.Context()) },
	}
}

// update runs git and the script that installs Afar.
func (a *app) update(ctx context.Context) error {
	if err := a.personOnly("update"); err != nil {
		return err
	}
	clone := filepath.Dir(a.bin)
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(clone, name))
		return err == nil
	}
	switch {
	case !has("install.sh"):
		return errors.New("these programs are not in a clone of Afar; a plugin that Claude Code installed " +
			"is brought up to date with `claude plugin update afar@afar`")
	case !has(".git"):
		return errors.New("these programs are of a release; take a newer archive from " +
			"https://github.com/afar-sh/afar/releases and run the install.sh in it")
	}
	if err := a.step(ctx, "git pull --ff-only", "git", "-C", clone, "pull", "--ff-only"); err != nil {
		return err
	}
	return a.step(ctx, "install.sh", "sh", filepath.Join(clone, "install.sh"))
}

// step runs a program at the person's terminal. An error begins with name.
func (a *app) step(ctx context.Context, name, program string, args ...string) error {
	run := exec.CommandContext(ctx, program, args...)
	run.Stdin, run.Stdout, run.Stderr = a.stdin, a.stdout, a.stderr
	if err := run.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
