package link

import (
	"net"
	"net/netip"
	"strconv"
)

// port is where a hub listens, if nobody says otherwise.
const port = 4242

// tailnet has the addresses that Tailscale gives to machines.
var tailnet = netip.MustParsePrefix("100.64.0.0/10")

// DefaultAddr returns where a hub listens, if nobody says otherwise: at the machine's address in its
// Tailscale network, else where only this machine reaches it.
func DefaultAddr() string {
	addrs, _ := net.InterfaceAddrs() // none are as good as an error
	return defaultAddr(addrs)
}

func defaultAddr(addrs []net.Addr) string {
	host := "127.0.0.1"
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && tailnet.Contains(p.Addr()) {
			host = p.Addr().String()
			break
		}
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

// dialed returns where this machine itself reaches what listens at an address.
func dialed(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	ip, _ := netip.ParseAddr(host) // a name is not unspecified
	if err != nil || host != "" && !ip.IsUnspecified() {
		return listen
	}
	return net.JoinHostPort("localhost", port)
}
