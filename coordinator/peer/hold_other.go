//go:build !linux

package peer

// A Hold does not exist on this system. Take never returns one.
type Hold struct{}

// Take always fails here.
func Take(int) (Hold, error) { return Hold{}, ErrUnknown }

// Over is always true here.
func (Hold) Over() bool { return true }

// Release does nothing here.
func (Hold) Release() {}
