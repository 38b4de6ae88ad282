package main

import (
	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/wire"
)

func newJournal(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "journal [DATE]", Short: "Show what happened on a day, as runs wrote it down", Args: cobra.MaximumNArgs(1),
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
	}, renderDay)
}

func renderDay(p *page, in wire.MemoryDayReply) {
	if len(in.Entries) == 0 {
		p.line("Nothing was written down on %s.", in.Date)
		if len(in.Days) > 0 {
			p.line("The last day with entries: afar journal %s", in.Days[0])
		}
		return
	}
	p.line("%s", p.paint(bold, in.Date))
	for _, e := range in.Entries {
		p.line("")
		p.line("%s  %s", p.paint(bold, oneLine(e.Heading, 200)), p.paint(dim, oneLine(e.Source, 80)))
		if e.Text != "" {
			p.block(e.Text)
		}
	}
}
