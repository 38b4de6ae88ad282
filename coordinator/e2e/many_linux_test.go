package e2e

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

var manyAsks = flag.Int("many-asks", 0, "asks that wait at once in the test of memory and idle time; 0 skips it")

// TestManyAsks: many asks that wait at once, each with its hook's connection, cost the
// coordinator little memory and no time while nothing happens.
func TestManyAsks(t *testing.T) {
	if *manyAsks == 0 {
		t.Skip("-many-asks 1000 measures it")
	}
	p := newPhone(t)
	p.afar("away", "off") // the cards are measured elsewhere
	before := p.aim().Pid
	idle := rss(t, before)
	p.hold(*manyAsks, 10)
	pid := p.aim().Pid
	const rest, span = 20 * time.Second, 30 * time.Second
	time.Sleep(rest) // what their opening left to do is done
	spent, times := cpu(t, pid), switches(t, pid)
	time.Sleep(span) // the length of it is what is measured
	share := (cpu(t, pid) - spent).Seconds() / span.Seconds()
	each := float64(switches(t, pid)-times) / span.Seconds()
	full := rss(t, pid)
	t.Logf("%d asks wait: %.1f MB resident (%.1f MB without), %.2f %% of one processor and %.1f context switches a second "+
		"while nothing happens", *manyAsks, full, idle, share*100, each)
	if full >= 80 || share > 0.01 || each > 50 || pid != before {
		t.Errorf("want less than 80 MB, 1 %% and 50 switches")
	}
}

// hold opens n asks in some sessions and waits on each, like their hooks.
func (p *phone) hold(n, sessions int) {
	p.t.Helper()
	exe := filepath.Join(filepath.Dir(p.bin), "hook-many")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/many").CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	args := []string{p.dirs.Socket(), strconv.Itoa(n), p.project}
	for range sessions {
		args = append(args, strconv.Itoa(bystander(p.t)))
	}
	cmd := exec.CommandContext(p.t.Context(), exe, args...)
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
func rss(t testing.TB, pid int) float64 {
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
func cpu(t testing.TB, pid int) time.Duration {
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
