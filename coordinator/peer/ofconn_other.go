//go:build !linux && !darwin

package peer

import "net/netip"

func ofTCP(_, _ netip.AddrPort) ([]Process, error) { return nil, ErrUnknown }
