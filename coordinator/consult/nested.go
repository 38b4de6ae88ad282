package consult

import "os"

// Nested reports whether this process was started by a model that is being
// consulted. The variable says so where the model's programs leave it alone; the
// mark of the process cannot be taken off again.
func Nested() bool { return os.Getenv(mark) != "" || markedProcess() }
