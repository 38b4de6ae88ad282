package usage

// A Glance holds what the host shows about a session now. Zero fields are unknown.
type Glance struct {
	Model   string // the model of the newest answer
	Context int64  // the tokens that answer read and wrote; unknown after a compaction
	Title   string // the title that the person or the host gave the conversation
	First   string // the first prompt
	Todos   *Todos // nil if the host keeps none
	Spent   Sum    // so far, subagents excepted; only Glances fills it in
	Doing   *Step  // the call that runs, nil for none; only Glances fills it in
}

// Todos counts the steps of a session's own list.
type Todos struct{ Done, Total int }
