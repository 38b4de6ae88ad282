package e2e

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
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

var manyAsks = flag.Int("many-asks", 0, "asks that wait at once in the test of memory and idle time; 0 skips it")

// TestManyAsks: many asks that wait at once, each with its hook's connection, cost the
// coordinator little memory and no time while nothing happens.
func TestManyAsks(t *testing.T) {
	long.InCI(t)
	if *manyAsks == 0 {
		t.Skip("-many-asks 1000 measures it")
	}
	p := newPhone(t)
	p.afar("away", "off") // the cards are measured elsewhere
	before := p.aim().Pid
	idle := rss(t, before)
	p.hold(*manyAsks)
	pid := p.aim().Pid
	spent, begun := cpu(t, pid), time.Now()
	time.Sleep(10 * time.Second) // the length of it is what is measured
	share := (cpu(t, pid) - spent).Seconds() / time.Since(begun).Seconds()
	full := rss(t, pid)
	t.Logf("%d asks wait: %.1f MB resident (%.1f MB without), %.2f %% of one processor while nothing happens",
		*manyAsks, full, idle, share*100)
	if full >= 60 || share > 0.01 || pid != before {
		t.Errorf("want less than 60 MB and 1 %%")
	}
}

// hold opens n asks and waits on each, like their hooks.
func (p *phone) hold(n int) {
	p.t.Helper()
	exe := filepath.Join(filepath.Dir(p.bin), "hook-many")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/many").CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(p.t.Context(), exe, p.dirs.Socket(), strconv.Itoa(n), p.project)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if said, err := io.ReadAll(io.LimitReader(out, 6)); err != nil || string(said) != "ready\n" {
		p.t.Fatalf("the hooks say %q, %v", said, err)
	}
	var s wire.StatusReply
	p.call(wire.OpStatus, nil, &s)
	if len(s.Asks) != n {
		p.t.Fatalf("%d asks wait, want %d", len(s.Asks), n)
	}
}

// rss returns the resident memory of a process in MB.
func rss(t *testing.T, pid int) float64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(raw))
	if err != nil || len(fields) < 2 {
		t.Skip("this system does not say what a process uses")
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// cpu returns the processor time of a process.
func cpu(t *testing.T, pid int) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // in ticks of USER_HZ
}
