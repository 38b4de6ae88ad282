package link

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/afar-sh/afar/coordinator/fleetserver"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// BenchmarkLink measures a call from a member to its hub and from the hub to a member, with 600 bytes, as a
// question has. It compares with a bare request over the same server and TLS, which nobody signs or seals.
func BenchmarkLink(b *testing.B) {
	f := newFleet(b)
	m, keys := f.member()
	connected(b, m)
	bare := f.bare(b)
	body := bytes.Repeat([]byte("x"), 600)
	var ups, downs, yard []time.Duration
	timed := func(all *[]time.Duration, what func() error) {
		begun := time.Now()
		if err := what(); err != nil {
			b.Fatal(err)
		}
		*all = append(*all, time.Since(begun))
	}
	for b.Loop() {
		timed(&ups, func() error { _, err := m.Call(b.Context(), "act", body); return err })
		timed(&downs, func() error { _, err := f.hub.Call(b.Context(), keys.ID(), "act", body); return err })
		timed(&yard, func() error { return bare(body) })
	}
	b.ReportMetric(p50(ups), "ms-up-p50")
	b.ReportMetric(p50(downs), "ms-down-p50")
	b.ReportMetric(p50(yard), "ms-yardstick-p50")
}

// bare returns a request between two clients of another server, with nothing of the link.
func (f *fleet) bare(b *testing.B) func(body []byte) error {
	b.Helper()
	one, two, all := testKeys(b), testKeys(b), []string{">"}
	state := fleetserver.State{Listen: netproxy.FreeAddr(b), Cert: f.cert.File, Key: f.cert.KeyFile, Users: []fleetserver.User{
		{Nkey: one.Sign, Publish: all, Subscribe: all}, {Nkey: two.Sign, Publish: all, Subscribe: all},
	}}
	server, err := startServer(b.Context(), serverBin(), state)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.stop)
	var conns [2]*nats.Conn
	for i, k := range []*Keys{one, two} {
		if conns[i], _, err = (door{addr: state.Listen, pin: f.cert.Pin, key: k.sign}).dial("bare"); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(conns[i].Close)
	}
	if _, err = conns[0].Subscribe("bare", func(m *nats.Msg) { _ = m.Respond(m.Data) }); err != nil {
		b.Fatal(err)
	}
	_ = conns[0].Flush()
	return func(body []byte) error {
		_, err := conns[1].Request("bare", body, dialWithin)
		return err
	}
}

func p50(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e3
}
