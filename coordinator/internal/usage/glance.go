package usage

// A Glance is what the host shows of a session now. Zero fields are
// unknown.
type Glance struct {
	Model   string // of the newest answer
	Context int64  // tokens: what that answer read and wrote; unknown after a compaction
	Title   string // as the person or the host named the conversation
	First   string // the first prompt
	Todos   *Todos // nil if the host keeps none
}

// Todos counts the steps of a session's own list.
type Todos struct{ Done, Total int }
