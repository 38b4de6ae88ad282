package link

import (
	"net"
	"testing"
)

func TestDefaultAddr(t *testing.T) {
	for want, addrs := range map[string][]string{
		"127.0.0.1:4242":    {"127.0.0.1/8", "::1/128", "192.168.1.4/24", "100.63.255.255/8", "100.128.0.1/9", "fe80::1/64"},
		"100.101.1.2:4242":  {"127.0.0.1/8", "192.168.1.4/24", "100.101.1.2/32"},
		"100.127.0.17:4242": {"100.127.0.17/10", "100.101.1.2/32"},
	} {
		var all []net.Addr
		for _, a := range addrs {
			ip, mask, err := net.ParseCIDR(a)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &net.IPNet{IP: ip, Mask: mask.Mask})
		}
		if got := defaultAddr(append(all, &net.UnixAddr{Name: "odd"})); got != want {
			t.Errorf("%q: %s, want %s", addrs, got, want)
		}
	}
}

func TestDialed(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", "hub.example:1": "hub.example:1", "odd": "odd",
		"0.0.0.0:1": "localhost:1", "[::]:1": "localhost:1", ":1": "localhost:1",
	} {
		if got := dialed(listen); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}
