package consult

import "os"

// Nested reports whether a consulted model started this process. A program can remove the
// variable, but not the mark of the process.
func Nested() bool { return os.Getenv(mark) != "" || markedProcess() }
