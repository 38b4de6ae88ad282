package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot builds the whole command.
func newRoot(a *app) *cobra.Command {
	root := group("afar", "Leave the terminal; your sessions keep working, and your phone rings only when they need you.",
		newStatus(a), newAsks(a), newAllow(a), newDeny(a), newAnswer(a), newSend(a), newGrants(a), newRevoke(a), newUndo(a), newAway(a), newStopTurn(a), newPause(a), newResume(a),
		newLoop(a), newIssue(a), newPost(a), newRead(a), newTopics(a), newConsult(a), newTelegram(a), newLog(a), newReport(a), newAudit(a), newGuard(a), newDoctor(a), newDebug(a), newConfig(a),
		newServe(a), newStart(a), newStop(a), newRestart(a), newVersion(a), newUninstall(a), newCall(a), newPin(a), newHold(a))
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return root
}

// group is a command that only holds others. Alone, `afar` explains itself; an
// unknown or missing subcommand is wrong usage.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.AddCommand(subs...)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), meant(c, args[0]))}
		}
		if !c.HasParent() {
			return c.Help()
		}
		return usageError{fmt.Errorf("%s needs a command: %s", c.CommandPath(), names(subs))}
	}
	return c
}

func meant(c *cobra.Command, typed string) string {
	c.SuggestionsMinimumDistance = 2
	if like := c.SuggestionsFor(typed); len(like) > 0 {
		return "; did you mean " + strings.Join(like, ", ") + "?"
	}
	return ""
}

func names(cmds []*cobra.Command) string {
	var out []string
	for _, c := range cmds {
		out = append(out, c.Name())
	}
	return strings.Join(out, ", ")
}

// exactly accepts one argument per name, and names the missing one.
func exactly(want ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(want):
			return usageError{fmt.Errorf("%s needs %s", c.CommandPath(), want[len(args)])}
		case len(args) > len(want):
			return usageError{fmt.Errorf("%s: too many arguments, from %q on", c.CommandPath(), args[len(want)])}
		}
		return nil
	}
}

// jsonFlag adds --json to a reading command.
func jsonFlag(c *cobra.Command, form string) *bool {
	return c.Flags().Bool("json", false, "print JSON: "+form)
}
