package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newAllow(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "allow [ID]", Short: "Answer a question with yes, or approve a plan",
		Example: "afar allow\nafar allow 3f2a --session",
		Args:    atMost(1),
		Long: "Lets the exact call that the question shows run, once. ID may be the beginning of one.\n" +
			"Without an ID it shows the one open question and asks.\n" +
			"--session also allows what the question offers for the rest of its session, at most an hour, or\n" +
			"what asks.grant in config.toml says\n" +
			"(afar asks shows it first); --always has Claude Code keep what the question says for it.\n" +
			"It is taken from a terminal alone, and never from inside a session.",
	}
	message := c.Flags().StringP("message", "m", "", "a `text` for the model")
	forSession := c.Flags().Bool("session", false, "and what the question offers, for its session")
	asJSON := jsonFlag(c, "the question")
	always := c.Flags().Bool("always", false, "and have Claude Code keep what the question says")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *forSession && *always {
			return usage("--session or --always, not both")
		}
		scope := ""
		switch {
		case *forSession:
			scope = "session"
		case *always:
			scope = "always"
		}
		in := wire.AnswerRequest{Allow: true, Message: *message, Scope: scope}
		if len(args) > 0 {
			in.ID = args[0]
			return a.answer(c.Context(), in, *asJSON)
		}
		return a.allowTheOne(c.Context(), in, *asJSON)
	}
	return c
}

// allowTheOne shows the only open question, asks the person at the terminal, and allows it.
func (a *app) allowTheOne(ctx context.Context, in wire.AnswerRequest, asJSON bool) error {
	if !isTerminal(a.stdin) {
		return usage("afar allow needs the id of a question (afar asks) where nobody can be asked")
	}
	open, err := call(ctx, a, wire.OpAsks, wire.None{})
	if err != nil {
		return err
	}
	terminal.Asks(a.page(), open)
	if len(open.Asks) != 1 {
		return fmt.Errorf("afar allow without an id needs one open question, and there are %d", len(open.Asks))
	}
	if !a.agrees("Allow it?", false) {
		return errors.New("nothing was allowed; the question stays open")
	}
	in.ID, in.Hash = open.Asks[0].ID, open.Asks[0].Hash
	return a.answer(ctx, in, asJSON)
}

// answer decides an ask and prints the result.
func (a *app) answer(ctx context.Context, in wire.AnswerRequest, asJSON bool) error {
	q, err := a.sendAnswer(ctx, in)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(q)
	}
	verb := "Denied"
	switch {
	case q.Sent != "":
		a.say("%s", view.OnItsWay(q))
		return nil
	case q.Kind == wording.Suggestion:
		a.say("Suggestion %s: %s", wording.Decided(q), q.Tool)
		return nil
	case q.Kind == wording.Missed && in.Allow:
		a.say("Trigger %s fires now.", q.Tool)
		return nil
	case q.Kind == wording.Missed:
		a.say("Trigger %s: skipped.", q.Tool)
		return nil
	case in.Allow && q.Kind == wording.Plan:
		verb = "Approved"
	case in.Allow:
		verb = "Allowed"
	}
	switch in.Scope {
	case "session":
		a.say("For this session, for a time that `afar grants` shows: %s", q.ForSession)
	case "always":
		a.say("From now on: %s", q.ForAlways)
	}
	a.say("%s for %s: %s %s", verb, q.Token, q.Tool, terminal.OneLine(q.Input, 100))
	return nil
}
