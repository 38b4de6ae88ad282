package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// newRoot builds the whole command.
func newRoot(a *app) *cobra.Command {
	root := group("afar",
		"Leave the terminal; your sessions keep working, and your phone rings only when they need you.")
	addCommands(a, root)
	root.Long = root.Short + "\n\nAlone, afar shows the status."
	root.RunE = withoutSubcommand(root, func(c *cobra.Command) error {
		return read(c.Context(), a, wire.OpStatus, wire.StatusRequest{}, false, terminal.Status)
	})
	root.PersistentFlags().StringVar(&a.machine, "machine", "", "on the hub: do it on the machine `NAME` of the fleet")
	root.Version = versionText()
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	completeExamples(root)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	return root
}

// completeExamples indents the examples of a command and of those below it. One that can be typed alone and has none is
// its own.
func completeExamples(c *cobra.Command) {
	if c.Example == "" && c.ValidateArgs(nil) == nil && !c.Hidden && (!c.HasSubCommands() || !c.HasParent()) {
		c.Example = c.CommandPath()
	}
	if c.Example != "" {
		c.Example = "  " + strings.ReplaceAll(c.Example, "\n", "\n  ")
	}
	for _, sub := range c.Commands() {
		completeExamples(sub)
	}
}

// commands are those of one group of `afar --help`.
type commands []*cobra.Command

// addCommands adds all commands, in their groups.
func addCommands(a *app, root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  commands
	}{
		{"first", "Start here:", commands{newDemo(a), newOpen(a), newAway(a), newTelegram(a), newFleet(a), newDoctor(a)}},
		{"sessions", "Sessions and their questions:", commands{newStatus(a), newWatch(a), newAsks(a), newAllow(a),
			newDeny(a), newAnswer(a), newSend(a), newInbox(a), newStopTurn(a), newReport(a), newLog(a)}},
		{"away", "While you are away:", commands{newPause(a), newResume(a), newLoop(a), newIssue(a)}},
		{"guard", "What is allowed, and taking it back:", commands{newGuard(a), newGrants(a), newRevoke(a), newUndo(a),
			newAudit(a), newLock(a), newUnlock(a), newHold(a)}},
		{"work", "Work that goes on without a terminal:", commands{newTask(a), newSuggestion(a), newGap(a), newRun(a),
			newTrigger(a), newModule(a), newMemory(a), newJournal(a), newWall(a)}},
		{"agents", "What agents write, and second opinions:", commands{newPost(a), newRead(a), newTopics(a), newConsult(a)}},
		{"care", "Setup and care:", commands{newConfig(a), newStatusline(a), newStart(a), newStop(a), newRestart(a),
			newInstallService(a), newLogs(a), newDebug(a), newVersion(a), newUpdate(a), newUninstall(a)}},
		{"programs", "For programs:", commands{newCall(a), newMCP(a), newServe(a), newPin(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("care")
	root.SetCompletionCommandGroupID("care")
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short = "Print the script that completes commands in your shell"
	}
}

// group is a command that only holds others. An unknown or missing subcommand is
// wrong usage.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs}
	c.AddCommand(subs...)
	c.RunE = withoutSubcommand(c, func(c *cobra.Command) error {
		return usage("%s needs a command: %s", c.CommandPath(), names(subs))
	})
	return c
}

// withoutSubcommand returns a RunE that runs do when no subcommand is typed, and
// refuses an unknown subcommand.
func withoutSubcommand(c *cobra.Command, do func(*cobra.Command) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("unknown command %q for %q%s", args[0], c.CommandPath(), suggestion(c, args[0]))
		}
		return do(c)
	}
}

func suggestion(c *cobra.Command, typed string) string {
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
		if err := atLeast(want...)(c, args); err != nil {
			return err
		}
		return atMost(len(want))(c, args)
	}
}

// atLeast accepts one argument per name and more, and names the missing one.
func atLeast(want ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(want) {
			return usage("%s needs %s", c.CommandPath(), want[len(args)])
		}
		return nil
	}
}

// atMost accepts at most n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usage("%s: too many arguments, from %q on", c.CommandPath(), args[n])
		}
		return nil
	}
}

// jsonFlag adds --json to a reading command.
func jsonFlag(c *cobra.Command, form string) *bool {
	return c.Flags().Bool("json", false, "print JSON: "+form)
}
