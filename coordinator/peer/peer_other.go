//go:build !linux && !darwin

package peer

// Supported reports whether this system says which process is calling. Here it does
// not. The only protection is the socket's directory, which other users cannot enter.
const Supported = false

func credentials(int) (uid, pid int, err error) { return 0, 0, ErrUnknown }

// Born is never true here.
func Born(int) bool { return false }

// BornAt always returns "" here.
func BornAt(string) string { return "" }

func glance(int) (Process, error) { return Process{}, ErrUnknown }

func look(int) (Process, error) { return Process{}, ErrUnknown }

// WithEnv always returns nil here.
func WithEnv(string) []int { return nil }
