package home

// A birthmark is what a session's shell gives itself, and with it all that it
// ever starts, before it runs its first command: a hard limit of file locks.
// Linux has not enforced that limit since 2.4, a child inherits it through
// fork, exec and setsid, whatever becomes of its environment and its parents,
// and nobody but root can raise a hard limit again.
const (
	Birthmark     = 7357357
	BirthmarkLine = "ulimit -S -x 7357357 2>/dev/null && ulimit -H -x 7357357 2>/dev/null || :\n"
)
