//go:build !linux && !darwin

package peer

import "github.com/afar-sh/afar/coordinator/birthmark"

// Supported reports whether this system says which process is calling. Here it does
// not. The only protection is the socket's directory, which other users cannot enter.
const Supported = false

func credentials(int) (uid, pid int, err error) { return 0, 0, ErrUnknown }

// Level is always birthmark.None here.
func Level(int) birthmark.Level { return birthmark.None }

// Bearers always returns nil here.
func Bearers() []Process { return nil }

// Seal does nothing here.
func Seal() error { return nil }

// Tracer always returns 0 here.
func Tracer(int) int { return 0 }

// BornAt always returns "" here.
func BornAt(string) string { return "" }

func glance(int) (Process, error) { return Process{}, ErrUnknown }

func look(int) (Process, error) { return Process{}, ErrUnknown }

// WithEnv always returns nil here.
func WithEnv(string) []int { return nil }
