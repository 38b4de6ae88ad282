//go:build !linux && !darwin

package peer

import "net/netip"

// A Finder finds the processes at the other end of connections.
type Finder struct{}

func (*Finder) ofTCP(_, _ netip.AddrPort) ([]Process, error) { return nil, ErrUnknown }
