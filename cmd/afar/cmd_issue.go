package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/issues"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newIssue(a *app) *cobra.Command {
	c := group("issue", "The issues of the project in this directory",
		newIssueNew(a), newIssueList(a), newIssueReady(a), newIssueShow(a),
		newIssueSet(a, "close", "Close an issue", "Closed", issues.Issues.Close),
		newIssueSet(a, "reopen", "Open an issue again that is closed", "Reopened", issues.Issues.Reopen),
		newIssueComment(a))
	c.Long = "The issues that a loop without a task works on, of the git repository around this directory. They are\n" +
		"markdown files in .afar/issues/, one each, to be read and edited by hand; or those of tissue, bd or gh,\n" +
		"where the project has that (issues.tracker in config.toml). An ID may be typed as its beginning."
	return c
}

// issueName says what the argument of most commands is.
const issueName = "the ID of an issue (afar issue list)"

func newIssueNew(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "new TITLE", Short: "Make an issue", Args: cobra.ArbitraryArgs,
		Example: "afar issue new 'Sessions die after a minute' -p 1 -m 'Since Monday. The log says nothing.'",
	}
	body := c.Flags().StringP("body", "b", "", "what is to be done, as a `text` in markdown; - reads it from stdin")
	priority := c.Flags().IntP("priority", "p", 0, "a `number` from 1 (first) to 5; 2 when left out")
	needs := c.Flags().StringSlice("needs", nil, "`IDs` of issues that must be closed first, with commas between")
	c.Flags().StringVarP(body, "message", "m", "", "the `text`, as --body")
	return onIssues(a, c, "the issue", func(in issues.Issues, args []string) (one wire.Issue, err error) {
		title := strings.Join(args, " ")
		if strings.TrimSpace(title) == "" {
			return one, usage("afar issue new needs a title")
		}
		if c.Flags().Changed("priority") && (*priority < 1 || *priority > 5) {
			return one, usage("unknown priority %d; want a number from 1 (first) to 5", *priority)
		}
		text, err := a.words([]string{*body})
		if err != nil {
			return one, err
		}
		return in.New(c.Context(), wire.Issue{Title: title, Body: text, Priority: *priority, Needs: *needs})
	}, func(p *terminal.Page, one wire.Issue) { terminal.IssueLine(p, "", one) })
}

func newIssueList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the issues that are not closed", Args: exactly()}
	return onIssues(a, c, "issues", func(in issues.Issues, _ []string) (wire.Issues, error) {
		return in.List(c.Context())
	}, func(p *terminal.Page, all wire.Issues) {
		terminal.Issues(p, all.Issues, "No open issues. To make one: afar issue new 'what is to be done'")
	})
}

func newIssueReady(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "ready", Short: "List the issues that can be worked on now, the first one first", Args: exactly(),
		Long: "Lists what is open and needs nothing that is open, by priority, then age: the order in which a " +
			"loop\ntakes them.",
	}
	return onIssues(a, c, "issues", func(in issues.Issues, _ []string) (wire.Issues, error) {
		return in.Ready(c.Context())
	}, func(p *terminal.Page, all wire.Issues) {
		terminal.Issues(p, all.Issues, "Nothing is ready. afar issue list shows what there is, and what it waits for.")
	})
}

func newIssueShow(a *app) *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: "Show one issue with its comments", Args: exactly(issueName),
		Example: "afar issue show 12"}
	return onIssues(a, c, "the issue", func(in issues.Issues, args []string) (wire.Issue, error) {
		return in.Show(c.Context(), args[0])
	}, terminal.Issue)
}

// newIssueSet returns a command that changes the status of an issue, with a comment.
func newIssueSet(
	a *app, verb, short, done string,
	change func(in issues.Issues, ctx context.Context, id, note string) (wire.Issue, error),
) *cobra.Command {
	c := &cobra.Command{Use: verb + " ID", Short: short, Args: exactly(issueName),
		Example: "afar issue " + verb + " 12 -m 'See 1f3c'"}
	note := c.Flags().StringP("message", "m", "", "the `text` of a comment, such as why; - reads it from stdin")
	return onIssues(a, c, "the issue", func(in issues.Issues, args []string) (one wire.Issue, err error) {
		text, err := a.words([]string{*note})
		if err != nil {
			return one, err
		}
		return change(in, c.Context(), args[0], text)
	}, func(p *terminal.Page, one wire.Issue) { terminal.IssueLine(p, done+" ", one) })
}

func newIssueComment(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "comment ID [TEXT]", Short: "Add a comment to an issue", Args: atLeast(issueName),
		Example: "afar issue comment 12 'It happens only behind a proxy'",
		Long:    "Adds a comment to an issue, whatever its status. Without TEXT, or with -, it is read from stdin.",
	}
	return onIssues(a, c, "the issue", func(in issues.Issues, args []string) (one wire.Issue, err error) {
		text, err := a.words(args[1:])
		if err != nil {
			return one, err
		}
		if strings.TrimSpace(text) == "" {
			return one, usage("a comment must not be empty")
		}
		return in.Comment(c.Context(), args[0], text)
	}, func(p *terminal.Page, one wire.Issue) { terminal.IssueLine(p, "Commented on ", one) })
}

// onIssues makes c a command that does something with the issues of the project in this directory, and shows what came
// of it, or prints it with --json, which has the form that form says.
func onIssues[Reply any](
	a *app, c *cobra.Command, form string, do func(in issues.Issues, args []string) (Reply, error),
	draw func(*terminal.Page, Reply),
) *cobra.Command {
	asJSON := jsonFlag(c, form)
	c.RunE = func(c *cobra.Command, args []string) error {
		at, err := a.here()
		if err != nil {
			return err
		}
		in, err := issues.Open(c.Context(), at.dirs, at.cwd)
		if err != nil {
			return err
		}
		out, err := do(in, args)
		switch {
		case err != nil:
			return err
		case *asJSON:
			return a.printJSON(out)
		}
		draw(a.page(), out)
		return nil
	}
	return c
}
