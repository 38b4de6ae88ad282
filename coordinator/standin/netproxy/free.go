package netproxy

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddr returns an address of loopback where nothing listens, and where nothing else will until the test ends: the
// system gives such a port to nobody who lets it choose, and a test that asks for one finds its UDP port occupied.
func FreeAddr(t testing.TB) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000)) // systems choose from 32768 on
		mark, err := net.ListenPacket("udp", addr)
		if err != nil {
			continue
		}
		if l, err := net.Listen("tcp", addr); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = mark.Close() })
			return addr
		}
		_ = mark.Close()
	}
	t.Fatal("no port is free")
	return ""
}
