package view

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/afar-sh/afar/coordinator/wire"
)

// gapOpen is the status of a gap about which nothing was decided.
const gapOpen = "open"

// Gaps are what kept agents from doing well: the open ones first, then the newest.
var Gaps = add(Noun{
	Name: "gap", Inner: true,
	Page: true,
	Empty: "No gaps. When an agent lacks something (a program, an account, knowledge of yours), it reports it here " +
		"once, and goes on. What you change by hand in `gaps.md` counts too.",
	List: list(wire.OpGaps, wire.None{}, func(r wire.GapsReply) []Thing {
		slices.SortFunc(r.Gaps, func(a, b wire.Gap) int { return cmp.Or(gapRank(a)-gapRank(b), b.ID-a.ID) })
		return Each(r.Gaps, Gap)
	}),
	Does: map[string]Act{"resolved": gapSet("resolved"), "ignored": gapSet("ignored"), gapOpen: gapSet(gapOpen)},
})

func gapRank(g wire.Gap) int {
	if g.Status == gapOpen {
		return 0
	}
	return 1
}

// gapSet returns the Act that sets the status of a gap. The file may have another gap in its place by then.
func gapSet(status string) Act {
	return says(wire.OpGapSet, func(id string, in Input) wire.GapSetRequest {
		n, _ := strconv.Atoi(id) // 0 is no gap
		return wire.GapSetRequest{ID: n, Status: status, Title: in.Seen}
	}, "Gap %s is "+status+".")
}

// Gap shows a gap.
func Gap(g wire.Gap) Thing {
	out := Thing{
		ID: strconv.Itoa(g.ID), Title: g.Title, State: g.Status, Mark: Mark{Muted, "🕳"}, Seen: g.Title,
		Columns: lines(said(g.Date)),
		Notes: facts(
			Row{"", Plain, said(g.Problem)}, Row{"because of it", Plain, said(g.Impact)},
			Row{"what would help", Plain, said(g.Suggestion)}, Row{"from", Plain, said(g.Source)},
		),
		Deeds: []Deed{{Key: gapOpen, Label: "Open again"}},
	}
	if g.Status == gapOpen {
		out.Mark.Tone = Ask
		out.Deeds = []Deed{{Key: "resolved", Label: "Resolve"}, {Key: "ignored", Label: "Ignore", Tone: Muted}}
	}
	return out
}
