//go:build !linux

package peer

// Beside always fails here.
func Beside([]Process) ([][]Process, error) { return nil, ErrUnknown }
