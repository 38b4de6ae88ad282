package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newInbox(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "inbox", Short: "Show the texts that were sent, and what became of them", Args: exactly(),
		Example: "afar inbox --for run:nightly",
		Long: "Lists the newest texts for sessions, runs, tasks and you: pending until somebody takes it, delivered, " +
			"then done.\nThe line with the arrow says what came of each, or when it gets there. " +
			"What a program sent is marked as data.",
	}
	var in wire.InboxRequest
	c.Flags().StringVar(&in.For, "for", "", "texts for this `address` alone: a session's token, run:NAME, "+
		"task:SLUG, triage or person")
	c.Flags().StringVar(&in.Find, "find", "",
		"those with all of these `words` alone, in any case: in the text, who wrote it, where it goes or its outcome")
	c.Flags().IntVarP(&in.Last, "last", "n", 20, "at most this `number`")
	return asking(a, c, wire.OpInbox, "messages", func([]string) (wire.InboxRequest, error) {
		return in, nil
	}, func(p *terminal.Page, in wire.InboxReply) {
		terminal.List(p, view.Texts, view.Each(in.Messages, view.Message))
	})
}
