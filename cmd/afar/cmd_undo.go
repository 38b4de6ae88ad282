package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newUndo(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "undo [list|ID]", Short: "Take back a destructive step of a session", Args: atMost(1),
		Example: "afar undo list\nafar undo 3f2a",
		Long: "Before a destructive step in a git repository that a person is asked about, Afar keeps what the\n" +
			"step may destroy, untracked files included, for 24 hours. Alone or with list it shows what is kept;\n" +
			"with an ID it brings that back. Newer work is never overwritten without\n" +
			"saying so: it is named, and only --force goes on. What stood there before is kept as well, so that\n" +
			"an undo can be undone. It is never taken from inside a session.",
	}
	asJSON := jsonFlag(c, "undos, or the one that was restored")
	force := c.Flags().Bool("force", false, "overwrite newer work")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "list" {
			return read(c.Context(), a, wire.OpUndos, wire.None{}, *asJSON, terminal.Undos)
		}
		if args[0] == "" {
			return usage("the id of a snapshot is empty")
		}
		in := wire.UndoRequest{ID: args[0], Force: *force}
		u, err := call(c.Context(), a, wire.OpUndo, in, reviving(wire.UndoFor))
		if err != nil {
			return err
		}
		if *asJSON {
			if err := a.printJSON(u); err != nil {
				return err
			}
		}
		return a.undone(u, *asJSON)
	}
	return c
}

// undone prints the result of restoring. It returns an error if something was not
// restored.
func (a *app) undone(u wire.Undo, quiet bool) error {
	switch {
	case len(u.Newer) > 0:
		return fmt.Errorf("not undone: this work is newer and would be overwritten: %s\nkeep a copy of it, or: afar "+
			"undo --force %s",
			terminal.OneLine(strings.Join(u.Newer, ", "), 2000), terminal.OneLine(u.ID, 80))
	case u.Failed != "":
		return fmt.Errorf("not undone: %s", terminal.OneLine(u.Failed, 500))
	case u.State == "restoring":
		return errors.New("it is still being undone; afar undo list shows when it is over")
	case quiet:
		return nil
	}
	a.say("Undone for %s: %s", u.Token, terminal.OneLine(u.Did, 500))
	if u.Redo != "" {
		a.say("What stood there before is kept: afar undo %s", terminal.OneLine(u.Redo, 80))
	}
	return nil
}
