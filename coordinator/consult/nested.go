package consult

import (
	"os"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// Nested reports whether a consulted model started this process. A program can remove the
// variable, but not the mark of the process.
func Nested() bool {
	level, err := birthmark.Of(os.Getpid())
	return os.Getenv(mark) != "" || err == nil && level == birthmark.Consulted
}
