//go:build !linux

package peer

// TellsBeside reports whether Beside works on this system.
const TellsBeside = false

// Beside always fails here.
func Beside([]Process) ([][]Process, error) { return nil, ErrUnknown }
