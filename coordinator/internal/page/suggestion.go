package page

// Tabs lead from each page about tasks to the others.
type Tabs struct {
	Suggestions int // that are open
	Gaps        int // that are open
}

// Suggestions shows the tasks that agents and events suggest.
type Suggestions struct {
	List
	Tabs Tabs
}

// Gaps shows what kept agents from doing well.
type Gaps struct {
	List
	Tabs Tabs
}

const gapsPath = "/gaps"

func (g Gaps) shape() shape {
	return shape{
		name: "gaps", title: "Gaps", path: gapsPath, entry: tasksPath, home: g.Home, parts: []string{"tabs", "list"},
	}
}

const suggestionsPath = "/suggestions"

func (s Suggestions) shape() shape {
	return shape{
		name: "suggestions", title: "Suggestions", path: suggestionsPath, entry: tasksPath, home: s.Home,
		parts: []string{"tabs", "list"},
	}
}

// A tab is a link to one of several pages that belong together.
type tab struct {
	Path, Name string
	Count      int
	Current    bool
}

// tabs returns the links to the pages about tasks, for the page with a path.
func tabs(t Tabs, path string) []tab {
	return current([]tab{
		{Path: tasksPath, Name: "Board"}, {Path: suggestionsPath, Name: "Suggestions", Count: t.Suggestions},
		{Path: gapsPath, Name: "Gaps", Count: t.Gaps}, {Path: archivePath, Name: "Archived"},
	}, path)
}

// current marks the tab of the page with a path.
func current(all []tab, path string) []tab {
	for i := range all {
		all[i].Current = all[i].Path == path
	}
	return all
}
