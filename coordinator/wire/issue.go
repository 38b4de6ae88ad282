package wire

// An Issue is one issue of a project, as its tracker has it. It is not sent over the
// socket: `afar issue` reads the tracker itself and prints this.
type Issue struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Body      string   `json:"body,omitempty"` // markdown: the description, then the comments
	Status    string   `json:"status"`         // open, in_progress, paused, duplicate, closed
	Priority  int      `json:"priority"`       // 1 (first) to 5
	Needs     []string `json:"needs,omitempty"`
	Waits     []string `json:"waits,omitempty"` // the needs that are not closed yet
	CreatedAt int64    `json:"created_at,omitempty"`
	Path      string   `json:"path,omitempty"`   // of its file, below the repository's top
	Broken    string   `json:"broken,omitempty"` // why it cannot be worked on now
}

// Issues are the issues of one repository, best first.
type Issues struct {
	Tracker string  `json:"tracker"` // files, tissue, bd, gh or the path of a program
	Top     string  `json:"top"`     // the repository's main checkout
	Issues  []Issue `json:"issues"`
}
