package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newGap(a *app) *cobra.Command {
	return group("gap", "What kept agents from doing well", newGapList(a),
		newGapSet(a, "resolve", "Mark a gap as resolved", "resolved"),
		newGapSet(a, "ignore", "Mark a gap as one that stays", "ignored"))
}

func newGapList(a *app) *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the gaps of gaps.md", Args: exactly()}
	asJSON := jsonFlag(c, "gaps")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return read(c.Context(), a, wire.OpGaps, wire.None{}, *asJSON, func(p *page, in wire.GapsReply) {
			things(p, view.Gaps, in.Gaps, view.Gap)
		})
	}
	return c
}

func newGapSet(a *app, use, short, status string) *cobra.Command {
	c := &cobra.Command{Use: use + " N", Short: short, Args: exactly("the number of a gap (afar gap list)")}
	asJSON := jsonFlag(c, "the gap")
	c.RunE = func(c *cobra.Command, args []string) error {
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return usageError{fmt.Errorf("unknown gap %.40q; want a number (afar gap list)", args[0])}
		}
		in := wire.GapSetRequest{ID: n, Status: status}
		return read(c.Context(), a, wire.OpGapSet, in, *asJSON, func(p *page, g wire.Gap) {
			p.line("Gap %d is %s: %s", g.ID, g.Status, oneLine(g.Title, 100))
		})
	}
	return c
}
