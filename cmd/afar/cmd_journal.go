package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newJournal(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "journal [DATE]", Short: "Show what happened on a day, as runs wrote it down", Args: atMost(1),
		Example: "afar journal 2026-03-28",
		Long: "Shows memory/journal/DATE.md, today's without a date (YYYY-MM-DD). You may edit the file. Afar's own\n" +
			"record is afar log.",
	}
	return asking(a, c, wire.OpMemoryDay, "entries", func(args []string) (wire.MemoryDayRequest, error) {
		var in wire.MemoryDayRequest
		if len(args) > 0 {
			in.Date = args[0]
		}
		return in, nil
	}, terminal.Day)
}
