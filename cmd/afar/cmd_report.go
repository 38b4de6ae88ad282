package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newReport(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "report", Short: "Show what happened while you were away", Args: exactly(),
		Example: "afar report --since 24h",
		Long: "Shows what waits for you since a time, what failed and what was done; then each question: what was asked,\n" +
			"who settled it, how long it waited and what came of it; and what was denied and refused.",
	}
	since := c.Flags().Duration("since", 8*time.Hour, "how far back, such as 90m or 24h")
	form := "since, until, asks, counts, loops, issues, refused, denied, overridden, spent, runs, ended"
	return asking(a, c, wire.OpReport, form, func([]string) (wire.ReportRequest, error) {
		if *since <= 0 {
			return wire.ReportRequest{}, usage("--since needs a time such as 90m or 24h")
		}
		return wire.ReportRequest{Since: a.now().Add(-*since).UnixMilli()}, nil
	}, terminal.Report)
}
