package page

import (
	"cmp"
	"slices"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Gaps shows what kept agents from doing well.
type Gaps struct {
	List   []wire.Gap // in the order of gaps.md
	Tabs   Tabs
	Closed string // why this page cannot decide about them, "" if it can
	Home   string
}

const gapsPath = "/gaps"

func (g Gaps) shape() shape {
	return shape{name: "gaps", title: "Gaps", path: gapsPath, entry: tasksPath, home: g.Home,
		parts: []string{"tabs", "list"}}
}

// GapOpen is the status of a gap about which nothing was decided.
const GapOpen = "open"

// Ordered returns the gaps: open ones first, then the newest.
func (g Gaps) Ordered() []gap {
	var all []gap
	for _, one := range g.List {
		all = append(all, gap{one})
	}
	slices.SortStableFunc(all, func(a, b gap) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.ID, a.ID))
	})
	return all
}

// A gap is one as the page shows it.
type gap struct{ wire.Gap }

func (g gap) rank() int {
	if g.Open() {
		return 0
	}
	return 1
}

// Open reports whether nothing was decided about the gap.
func (g gap) Open() bool { return g.Status == GapOpen }
