package page

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/view"
)

// Tabs are the numbers on the tabs of the pages about tasks.
type Tabs struct {
	Suggestions int // that are open
	Gaps        int // that are open
}

// A tab is a link to one of several pages that belong together.
type tab struct {
	Path, Name string
	Count      int
	Current    bool
}

// tabsOf returns the links to the pages that belong together, for a noun that has one of them.
func tabsOf(n view.Noun, t Tabs) []tab {
	switch n.Name {
	case view.Suggestions.Name, view.Gaps.Name, view.Tasks.Name:
		return []tab{
			{Path: tasksPath, Name: "Board"}, {Path: "/suggestions", Name: "Suggestions", Count: t.Suggestions},
			{Path: "/gaps", Name: "Gaps", Count: t.Gaps}, {Path: archivePath, Name: "Archived"},
		}
	case view.Triggers.Name, view.Modules.Name:
		return []tab{{Path: triggersPath, Name: "Triggers"}, {Path: "/modules", Name: "Modules"}}
	}
	return nil
}

// machinesOf returns the links to what a page shows of each machine of the fleet, none for a page that does not show
// things of all.
func machinesOf(s shape, f Frame) []tab {
	all := []string{"/", "/sessions", "/questions", "/runs", tasksPath, archivePath, "/loops"}
	path, _, _ := strings.Cut(s.path, "?")
	if len(f.Fleet) == 0 || !slices.Contains(all, path) {
		return nil
	}
	out := []tab{{Path: path, Name: "All", Current: f.Chosen == ""}}
	for _, name := range f.Fleet {
		out = append(out, tab{Path: path + "?machine=" + url(name), Name: name, Current: f.Chosen == name})
	}
	return out
}

// current marks the tab of the page with a path.
func current(all []tab, path string) []tab {
	for i := range all {
		all[i].Current = all[i].Path == path
	}
	return all
}
