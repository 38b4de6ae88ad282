package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

func newAnswer(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "answer ID [TEXT]", Short: "Answer a question with words or an option, or send a plan back",
		Example: "afar answer 3f2a 'Use Postgres, as in the other services'\nafar answer 3f2a --option 2",
		Args:    atLeast("the id of a question (afar asks)"),
		Long: "Answers the question of a session that is asked now: with your own words, or with --option N, as " +
			"`afar asks`\n" +
			"counts them; more than once where several may be chosen. To a plan, TEXT says what to change.\n" +
			"ID may be the beginning of one. It is taken from a terminal alone, and never from inside a session.",
	}
	options := c.Flags().IntSlice("option", nil, "the `N`th option, counted from 1")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.AnswerRequest{ID: args[0], Options: *options}
		in.Text = strings.TrimSpace(strings.Join(args[1:], " "))
		if (in.Text == "") == (len(in.Options) == 0) {
			return usage("afar answer needs either a text or --option N")
		}
		return a.answerQuestion(c.Context(), in)
	}
	return c
}

// answerQuestion answers the current question and prints the next one.
func (a *app) answerQuestion(ctx context.Context, in wire.AnswerRequest) error {
	q, err := a.sendAnswer(ctx, in)
	if err != nil {
		return err
	}
	switch {
	case q.Sent != "":
		a.say("%s", view.OnItsWay(q))
		return nil
	case q.Kind == wording.Plan:
		a.say("Sent back for %s: %s", q.Token, terminal.OneLine(in.Text, 100))
		return nil
	case q.Kind == wording.CheckIn:
		a.say("%s goes on with: %s", q.Token, terminal.OneLine(in.Text, 100))
		return nil
	case q.Current > 0 && q.Current <= len(q.Questions):
		done := q.Questions[q.Current-1]
		a.say("Answered for %s: %s → %s", q.Token, done.Text, done.Answer)
	}
	if q.State == "open" && q.Current < len(q.Questions) {
		terminal.Options(a.page(), q.Questions[q.Current], q.Current+1, len(q.Questions))
	}
	return nil
}

// sendAnswer answers the ask that the person meant; the coordinator finds it.
func (a *app) sendAnswer(ctx context.Context, in wire.AnswerRequest) (q wire.Ask, err error) {
	if in.ID == "" {
		return q, usage("the id of a question is empty")
	}
	return call(ctx, a, wire.OpAnswer, in)
}
