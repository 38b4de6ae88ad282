package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// BenchmarkTap measures the time from a tap to the end of the hook that prints the answer,
// with real processes. It compares with the sum of a bare request to the stand-in, one call
// on the socket and three durable writes: the update, the answer and its delivery.
func BenchmarkTap(b *testing.B) {
	p := newPhone(b)
	disk := newDisk(b)
	client := "CLAUDE_PID=" + strconv.Itoa(bystander(b))
	var tap, yard []time.Duration
	n := 0
	for b.Loop() {
		n++
		mark := fmt.Sprintf("target-%05d", n)
		in := p.session("speed", mark).with(payload{"tool_name": "Bash",
			"tool_input": payload{"command": "make " + mark}})
		hook := p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", client)
		card := p.current(mark)[0]
		begun := time.Now()
		if _, err := p.ann.Tap(card.ID, "Allow"); err != nil {
			b.Fatal(err)
		}
		if _, err := hook.wait(); err != nil {
			b.Fatal(err)
		}
		tap = append(tap, time.Since(begun))
		begun = time.Now()
		p.ping(b)
		p.call(wire.OpStatus, nil, &wire.StatusReply{})
		for range 3 {
			disk.write(b)
		}
		yard = append(yard, time.Since(begun))
	}
	b.ReportMetric(p50(tap), "ms-tap-p50")
	b.ReportMetric(p50(yard), "ms-yardstick-p50")
}

// BenchmarkGrant measures the time that a grant adds to a hook: it runs a hook that a grant
// answers, in turn with the same hook while Afar is paused. It compares with a durable
// write.
func BenchmarkGrant(b *testing.B) {
	p := newPhone(b)
	disk := newDisk(b)
	client := "CLAUDE_PID=" + strconv.Itoa(bystander(b))
	run := func(n int) time.Duration {
		in := p.session("speed", fmt.Sprint(n)).with(payload{"tool_name": "Bash",
			"tool_input": payload{"command": "make lint"}})
		begun := time.Now()
		hook := p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", client)
		if n == 0 {
			card := p.current("make lint")[0]
			if _, err := p.ann.Tap(card.ID, "Allow for session"); err != nil {
				b.Fatal(err)
			}
		}
		out, err := hook.wait()
		if allowed := strings.Contains(out, `"allow"`); err != nil || allowed != (n%2 == 0) {
			b.Fatalf("%d: %q, %v", n, out, err)
		}
		return time.Since(begun)
	}
	run(0)
	var with, without, yard []time.Duration
	n := 0
	for b.Loop() {
		n++
		p.call(wire.OpPause, wire.PauseRequest{On: true}, &wire.Settings{})
		without = append(without, run(2*n-1))
		p.call(wire.OpPause, wire.PauseRequest{}, &wire.Settings{})
		with = append(with, run(2*n))
		begun := time.Now()
		disk.write(b)
		yard = append(yard, time.Since(begun))
	}
	b.ReportMetric(p50(with)-p50(without), "ms-grant-adds")
	b.ReportMetric(p50(without), "ms-hook-p50")
	b.ReportMetric(p50(yard), "ms-yardstick-p50")
}

func p50(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e3
}

// ping makes a bare request to the stand-in for Telegram.
func (p *phone) ping(b *testing.B) {
	resp, err := http.Get(p.bot.URL() + "/bot" + p.bot.Token() + "/getMe")
	if err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// A disk makes minimal durable writes.
type disk struct{ f *os.File }

func newDisk(b *testing.B) disk {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return disk{f}
}

func (d disk) write(b *testing.B) {
	_, err := d.f.Write(make([]byte, 4096))
	if err = errors.Join(err, d.f.Sync()); err != nil {
		b.Fatal(err)
	}
}
