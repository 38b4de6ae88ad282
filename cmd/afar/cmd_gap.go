package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newGap(a *app) *cobra.Command {
	return group("gap", "What kept agents from doing well", listing(a, view.Gaps, "List the gaps of gaps.md", "gaps"),
		newGapSet(a, "resolve", "Mark a gap as resolved", "resolved"),
		newGapSet(a, "ignore", "Mark a gap as one that stays", "ignored"))
}

func newGapSet(a *app, use, short, status string) *cobra.Command {
	c := &cobra.Command{Use: use + " N", Short: short, Args: exactly("the number of a gap (afar gap list)"),
		Example: "afar gap " + use + " 3"}
	return asking(a, c, wire.OpGapSet, "the gap", func(args []string) (wire.GapSetRequest, error) {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return wire.GapSetRequest{}, usage("unknown gap %.40q; want a number (afar gap list)", args[0])
		}
		return wire.GapSetRequest{ID: n, Status: status}, nil
	}, func(p *terminal.Page, g wire.Gap) {
		p.Say("Gap %d is %s: %s", g.ID, g.Status, terminal.OneLine(g.Title, 100))
	})
}
