package main

import (
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newSend(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "send ADDRESS TEXT|-", Short: "Write to a session, a run or a task; one that stopped goes on with it",
		Example: "afar send shop-3f2a 'Run the tests again before you stop'",
		Args: atLeast("an address (afar status, afar run list, afar task list) and a text, or - for stdin",
			"a text, or - for stdin"),
		Long: "Gives a session, a run or a task a text, as a message from your phone would: one that is idle goes " +
			"on with it, one that\n" +
			"works gets it at its next step. ADDRESS is a session's token (afar status) or the beginning of it, " +
			"session:TOKEN,\n" +
			"run:NAME, task:SLUG, triage or person. With - the text is stdin. " +
			"`afar inbox` shows what became of it.\n\n" +
			"What you type at a terminal counts as your words. What a program sends is data: it is fenced, and names " +
			"its\n" +
			"source. `afar send person TEXT` sends a notice to your phone; a session may do that too, and " +
			"no more.\nA run of a trigger may also write to what its rule names in \"- escalate: ADDRESS\".",
	}
	asJSON := jsonFlag(c, "id, to, when, words")
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := a.words(args[1:])
		if err != nil {
			return err
		}
		op := wire.OpSend
		switch {
		case args[0] == wire.ToPerson:
			op = wire.OpTell
		case a.inSession():
			op = wire.OpEscalate
		}
		in := wire.SendRequest{ID: rand.Text(), To: args[0], Text: strings.TrimRight(text, "\n")}
		return read(c.Context(), a, op, in, *asJSON, renderSent)
	}
	return c
}

func renderSent(p *terminal.Page, s wire.SendReply) {
	switch {
	case s.When == wire.Never:
		p.Line("Nothing was sent.")
	case s.To == wire.ToPerson:
		p.Line("Sent to your phone.")
	case s.Words:
		p.Say("%s gets it %s.", s.To, s.When)
	default:
		p.Say("%s gets it %s, as data: this was not sent from a terminal.", s.To, s.When)
	}
}
