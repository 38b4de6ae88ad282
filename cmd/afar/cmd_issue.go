package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/issues"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newIssue(a *app) *cobra.Command {
	c := group("issue", "The issues of the project in this directory",
		newIssueNew(a), newIssueList(a), newIssueReady(a), newIssueShow(a),
		newIssueClose(a), newIssueReopen(a), newIssueComment(a))
	c.Long = "The issues that a loop without a task works on, of the git repository around this directory. They are\n" +
		"markdown files in .afar/issues/, one each, to be read and edited by hand; or those of tissue, bd or gh,\n" +
		"where the project has that (issues.tracker in config.toml). An ID may be typed as its beginning."
	return c
}

func newIssueNew(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "new TITLE", Short: "Make an issue", Args: cobra.ArbitraryArgs,
		Example: "afar issue new 'Sessions die after a minute' -p 1 -m 'Since Monday. The log says nothing.'",
	}
	asJSON := jsonFlag(c, "the issue")
	body := c.Flags().StringP("body", "b", "", "what is to be done, as a `text` in markdown; - reads it from stdin")
	priority := c.Flags().IntP("priority", "p", 0, "a `number` from 1 (first) to 5; 2 when left out")
	needs := c.Flags().StringSlice("needs", nil, "`IDs` of issues that must be closed first, with commas between")
	c.Flags().StringVarP(body, "message", "m", "", "the `text`, as --body")
	c.RunE = func(c *cobra.Command, args []string) error {
		title := strings.Join(args, " ")
		if strings.TrimSpace(title) == "" {
			return usageError{errors.New("afar issue new needs a title")}
		}
		if c.Flags().Changed("priority") && (*priority < 1 || *priority > 5) {
			return usageError{fmt.Errorf("unknown priority %d; want a number from 1 (first) to 5", *priority)}
		}
		text, err := a.text(*body)
		if err != nil {
			return err
		}
		draft := wire.Issue{Title: title, Body: text, Priority: *priority, Needs: *needs}
		return a.issue(c.Context(), *asJSON, func(in issues.Issues) (wire.Issue,
			error) {
			return in.New(c.Context(), draft)
		},
			func(p *terminal.Page, one wire.Issue) {
				p.Line("%s  %s", p.Paint(terminal.Bold, terminal.OneLine(one.ID, 80)), terminal.OneLine(one.Title, 200))
				if one.Path != "" {
					p.Line("%s", p.Paint(terminal.Dim, terminal.OneLine(one.Path, 200)))
				}
			})
	}
	return c
}

func newIssueList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the issues that are not closed", Args: exactly()}
	asJSON := jsonFlag(c, "issues")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.issues(c.Context(), *asJSON, issues.Issues.List,
			"No open issues. To make one: afar issue new 'what is to be done'")
	}
	return c
}

func newIssueReady(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "ready", Short: "List the issues that can be worked on now, the first one first", Args: exactly(),
		Long: "Lists what is open and needs nothing that is open, by priority, then age: the order in which a " +
			"loop\ntakes them.",
	}
	asJSON := jsonFlag(c, "issues")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.issues(c.Context(), *asJSON, issues.Issues.Ready,
			"Nothing is ready. afar issue list shows what there is, and what it waits for.")
	}
	return c
}

func newIssueShow(a *app) *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: "Show one issue with its comments",
		Example: "afar issue show 12",
		Args:    exactly("the ID of an issue (afar issue list)")}
	asJSON := jsonFlag(c, "the issue")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.issue(c.Context(), *asJSON, func(in issues.Issues) (wire.Issue,
			error) {
			return in.Show(c.Context(), args[0])
		}, terminal.Issue)
	}
	return c
}

func newIssueClose(a *app) *cobra.Command {
	return issueChange(a, "close", "Close an issue", "Closed", issues.Issues.Close)
}

func newIssueReopen(a *app) *cobra.Command {
	return issueChange(a, "reopen", "Open an issue again that is closed", "Reopened", issues.Issues.Reopen)
}

// A changing is a function that changes an issue and adds a comment.
type changing func(in issues.Issues, ctx context.Context, id, note string) (wire.Issue, error)

// issueChange returns a command that changes the status of an issue.
func issueChange(a *app, verb, short, done string, change changing) *cobra.Command {
	c := &cobra.Command{Use: verb + " ID", Short: short, Args: exactly("the ID of an issue (afar issue list)"),
		Example: "afar issue " + verb + " 12 -m 'See 1f3c'"}
	asJSON := jsonFlag(c, "the issue")
	note := c.Flags().StringP("message", "m", "", "the `text` of a comment, such as why; - reads it from stdin")
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := a.text(*note)
		if err != nil {
			return err
		}
		return a.changeIssue(c.Context(), args[0], text, done, *asJSON, change)
	}
	return c
}

func newIssueComment(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "comment ID [TEXT]", Short: "Add a comment to an issue", Args: cobra.ArbitraryArgs,
		Example: "afar issue comment 12 'It happens only behind a proxy'",
		Long:    "Adds a comment to an issue, whatever its status. Without TEXT, or with -, it is read from stdin.",
	}
	asJSON := jsonFlag(c, "the issue")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := exactly("the ID of an issue (afar issue list)")(c, args[:min(len(args), 1)]); err != nil {
			return err
		}
		text, err := a.words(args[1:])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return usageError{errors.New("a comment must not be empty")}
		}
		return a.changeIssue(c.Context(), args[0], text, "Commented on", *asJSON, issues.Issues.Comment)
	}
	return c
}

// changeIssue changes an issue and prints the result.
func (a *app) changeIssue(ctx context.Context, id, note, done string, asJSON bool, change changing) error {
	do := func(in issues.Issues) (wire.Issue, error) { return change(in, ctx, id, note) }
	return a.issue(ctx, asJSON, do, func(p *terminal.Page, one wire.Issue) {
		p.Line("%s %s  %s", done, p.Paint(terminal.Bold, terminal.OneLine(one.ID, 80)), terminal.OneLine(one.Title, 200))
		if one.Path != "" {
			p.Line("%s", p.Paint(terminal.Dim, terminal.OneLine(one.Path, 200)))
		}
	})
}

// text returns a flag's value, or the text on stdin if the value is "-".
func (a *app) text(flag string) (string, error) {
	if flag != "-" {
		return flag, nil
	}
	return a.words(nil)
}

// openIssues opens the tracker of the project in the current directory.
func (a *app) openIssues(ctx context.Context) (issues.Issues, error) {
	dirs, err := a.dirs()
	if err != nil {
		return issues.Issues{}, err
	}
	here, err := os.Getwd()
	if err != nil {
		return issues.Issues{}, fmt.Errorf("find the current directory: %w", err)
	}
	return issues.Open(ctx, dirs, here)
}

// issue runs do on the project's issues and prints the issue that it returns.
func (a *app) issue(ctx context.Context, asJSON bool, do func(issues.Issues) (wire.Issue, error),
	render func(*terminal.Page, wire.Issue)) error {
	in, err := a.openIssues(ctx)
	if err != nil {
		return err
	}
	one, err := do(in)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(one)
	}
	render(a.page(), one)
	return nil
}

// issues prints a list of issues, or a sentence if it is empty.
func (a *app) issues(ctx context.Context, asJSON bool, some func(issues.Issues, context.Context) (wire.Issues, error),
	none string) error {
	in, err := a.openIssues(ctx)
	if err != nil {
		return err
	}
	list, err := some(in, ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(list)
	}
	terminal.Issues(a.page(), list.Issues, none)
	return nil
}
