package main

import (
	"context"
	"errors"
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
		Args:    answerArgs,
		Long: "Answers the question of a session that is asked now: with your own words, or with --option N, as " +
			"`afar asks`\n" +
			"counts them; more than once where several may be chosen. To a plan, TEXT says what to change.\n" +
			"ID may be the beginning of one. It is taken from a terminal alone, and never from inside a session.",
	}
	options := c.Flags().IntSlice("option", nil, "the `N`th option, counted from 1")
	c.RunE = func(c *cobra.Command, args []string) error {
		in := wire.AnswerRequest{ID: args[0], Options: *options}
		if len(args) > 1 {
			in.Text = strings.TrimSpace(strings.Join(args[1:], " "))
		}
		if (in.Text == "") == (len(in.Options) == 0) {
			return usageError{errors.New("afar answer needs either a text or --option N")}
		}
		return a.answerQuestion(c.Context(), in)
	}
	return c
}

func answerArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{errors.New("afar answer needs the id of a question (afar asks)")}
	}
	return nil
}

// answerQuestion answers the current question and prints the next one.
func (a *app) answerQuestion(ctx context.Context, in wire.AnswerRequest) error {
	q, err := a.sendAnswer(ctx, in)
	if err != nil {
		return err
	}
	who := terminal.OneLine(q.Token, 40)
	switch {
	case q.Sent != "":
		a.say("%s", terminal.OneLine(view.OnItsWay(q), 200))
		return nil
	case q.Kind == wording.Plan:
		a.say("Sent back for %s: %s", who, terminal.OneLine(in.Text, 100))
		return nil
	case q.Kind == wording.CheckIn:
		a.say("%s goes on with: %s", who, terminal.OneLine(in.Text, 100))
		return nil
	case q.Current > 0 && q.Current <= len(q.Questions):
		done := q.Questions[q.Current-1]
		a.say("Answered for %s: %s → %s", who, terminal.OneLine(done.Text, 60), terminal.OneLine(done.Answer, 60))
	}
	if q.State == "open" && q.Current < len(q.Questions) {
		terminal.Options(a.page(), q.Questions[q.Current], q.Current+1, len(q.Questions))
	}
	return nil
}

// sendAnswer answers the ask that the person meant; the coordinator finds it.
func (a *app) sendAnswer(ctx context.Context, in wire.AnswerRequest) (q wire.Ask, err error) {
	if in.ID == "" {
		return q, usageError{errors.New("the id of a question is empty")}
	}
	return q, call(ctx, a, wire.OpAnswer, in, &q)
}
