package peer

import (
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAskedEnd: the kernel's monitor says the same of a connection as its lists, and says
// nothing of a connection that does not exist, although a socket listens at its address.
func TestAskedEnd(t *testing.T) {
	for _, network := range []string{"tcp4", "tcp6", "tcp"} {
		at := map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "tcp": "127.0.0.1:0"}[network]
		l, err := net.Listen(network, at)
		if err != nil {
			t.Logf("%s: %v", network, err)
			continue
		}
		defer l.Close()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		here, there := conn.LocalAddr().(*net.TCPAddr).AddrPort(), l.Addr().(*net.TCPAddr).AddrPort()
		asked, ok := askedEnd(here, there)
		if !ok {
			t.Skip("this kernel has no monitor of sockets")
		}
		wide := !here.Addr().Is4()
		list := "/proc/net/tcp"
		if wide {
			list += "6"
		}
		listed, err := findEnd(list, listed(here, wide), listed(there, wide))
		if err != nil || asked != listed {
			t.Errorf("%s: asked %+v, listed %+v, %v", network, asked, listed, err)
		}
		if e, ok := askedEnd(there, netip.AddrPortFrom(here.Addr(), 1)); ok {
			t.Errorf("%s: no connection is %+v", network, e)
		}
	}
}

func FuzzReply(f *testing.F) {
	here, there := netip.MustParseAddrPort("127.0.0.1:4000"), netip.MustParseAddrPort("127.0.0.1:7357")
	f.Add(diagRequest(unix.AF_INET, here, there))
	f.Fuzz(func(t *testing.T, reply []byte) {
		_ = groupIn(reply)
		if e, ok := endIn(reply, here, there); ok && e.inode == "0" {
			t.Error("an end that nobody holds")
		}
	})
}
