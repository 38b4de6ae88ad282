package home

// A birthmark is a hard limit of file locks. A session's shell sets it before its
// first command, and everything that the shell starts inherits it through fork,
// exec and setsid, even if its environment or its parent changes. Linux has not
// enforced this limit since 2.4, and only root can raise a hard limit again.
const (
	Birthmark     = 7357357
	BirthmarkLine = "ulimit -S -x 7357357 2>/dev/null && ulimit -H -x 7357357 2>/dev/null || :\n"
)
