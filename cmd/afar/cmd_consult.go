package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newConsult(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "consult QUESTION|-", Short: "Ask another model for a second opinion",
		Args:    atLeast("a question, or - to read it from stdin"),
		Example: "afar consult 'Is a flock held across exec?'\ngit diff main | afar consult -",
		Long: "Asks the first of codex, gemini and claude that answers (see consult.programs in config.toml) and " +
			"prints what it\n" +
			"says. With -, the question is read from stdin. The other model sees the question and nothing else, has " +
			"no tools,\n" +
			"and its answer is an opinion. That it was asked, and the digest of the answer, go to the journal.",
	}
	asJSON := jsonFlag(c, "the answer")
	c.RunE = func(c *cobra.Command, args []string) error {
		question, err := a.words(args)
		if err != nil {
			return err
		}
		return a.consult(c.Context(), question, *asJSON)
	}
	return c
}

// consult makes a consultation. The coordinator says whom to ask, and an answer counts
// once it is in the coordinator's journal.
func (a *app) consult(ctx context.Context, question string, asJSON bool) error {
	if consult.Nested() {
		return errors.New("a consulted model cannot consult: answer from what you know")
	}
	dirs, err := a.dirs()
	if err != nil {
		return err
	}
	by, err := call(ctx, a, wire.OpConsultBegin, wire.None{})
	if err != nil {
		return err
	}
	opinion, came, failed := consult.Make(ctx, dirs, by, question)
	_, told := call(context.WithoutCancel(ctx), a, wire.OpConsultEnd, came)
	switch {
	case failed != nil && ctx.Err() != nil:
		return errInterrupted
	case failed != nil:
		return errors.Join(withRemedy(failed), told)
	}
	if asJSON {
		err := a.printJSON(opinion)
		return errors.Join(err, notJournalled(told))
	}
	a.printOpinion(opinion)
	return notJournalled(told)
}

func withRemedy(err error) error {
	if errors.Is(err, consult.ErrNone) {
		return fmt.Errorf("%w. Install one of them, sign in to it, or name a program under [consult] in config.toml",
			err)
	}
	return err
}

// notJournalled explains an error of the journal to the person.
func notJournalled(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the answer does not count, it is not in the journal; ask again: %w", err)
}

// printOpinion writes the answer to stdout, and notes about it to stderr.
func (a *app) printOpinion(o wire.SecondOpinion) {
	a.page().Whole(o.Text)
	if o.Cut {
		a.tell("afar: the answer went on; this is its beginning")
	}
	for _, m := range o.Missed {
		if !m.Absent {
			a.tell("afar: no answer from %s: %s", m.By, terminal.OneLine(m.Why, 300))
		}
	}
	took := (time.Duration(o.TookMS) * time.Millisecond).Round(100 * time.Millisecond)
	a.tell("afar: %s answered in %s; the journal has sha256 %s", o.By, took, o.Digest)
}
