package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
)

// BenchmarkFleetIdle shows what coordinators cost while nothing happens: a hub with two members, its server, and a member,
// beside two without a fleet, with and without a bot, in the same run. Too much is two context switches a second more.
func BenchmarkFleetIdle(b *testing.B) {
	for b.Loop() {
		single, bot := newSingle(b), newPhone(b)
		r := newFleetRig(b)
		build := r.join("build")
		r.join("lab")
		const rest, span = 20 * time.Second, 60 * time.Second
		time.Sleep(rest) // what their start left to do is done
		parts := []*idler{
			{name: "single", machine: single}, {name: "single-bot", machine: bot}, {name: "hub", machine: r.phone},
			{name: "member", machine: build}, {name: "server", pid: childOf(b, r.aim().Pid, "fleet-server")},
		}
		for _, p := range parts {
			if p.machine != nil {
				p.pid = p.machine.aim().Pid
			}
			p.switches, p.spent = switches(b, p.pid), cpu(b, p.pid)
		}
		time.Sleep(span) // the length of it is what is measured
		for _, p := range parts {
			each := float64(switches(b, p.pid)-p.switches) / span.Seconds()
			b.ReportMetric(each, "switches/s-"+p.name)
			b.ReportMetric(rss(b, p.pid), "MB-"+p.name)
			b.ReportMetric((cpu(b, p.pid)-p.spent).Seconds()*1e3/span.Seconds(), "ms-cpu/s-"+p.name)
		}
		for _, p := range parts {
			if p.machine != nil {
				b.ReportMetric(float64(len(p.machine.goroutines())), "goroutines-"+p.name)
			}
		}
	}
}

// An idler is a process that is measured. machine is nil for the server of a hub.
type idler struct {
	name     string
	machine  *phone
	pid      int
	switches int
	spent    time.Duration
}

// newSingle returns a running machine without a bot and without a fleet.
func newSingle(t testing.TB) *phone {
	t.Helper()
	p := &phone{nest: newNest(t)}
	t.Cleanup(p.end)
	p.alone("away", "on")
	return p
}

// TestNoFleet checks that a coordinator without a fleet runs nothing for one and listens at no port.
func TestNoFleet(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	p := newSingle(t)
	if all := listens(t, p.aim().Pid); len(all) > 0 {
		t.Errorf("it listens at %q", all)
	}
	for _, g := range p.goroutines() {
		for _, of := range []string{"internal/link.", "internal/fleetwork.", "channel/hub.", "nats-io/"} {
			if strings.Contains(g, of) {
				t.Errorf("it runs %s", g)
			}
		}
	}
}

// goroutines ends the coordinator of a machine, and returns the stacks of what ran in it.
func (p *phone) goroutines() (all []string) {
	p.t.Helper()
	c := p.aim()
	if err := c.Signal(syscall.SIGQUIT); err != nil {
		p.t.Fatal(err)
	}
	p.eventually("the stacks are written", func() bool {
		raw, _ := os.ReadFile(p.dirs.CrashLog())
		all = stacks.FindAllString(string(raw), -1)
		return len(all) > 0 && syscall.Kill(c.Pid, 0) != nil
	})
	return all
}

var stacks = regexp.MustCompile(`(?m)^goroutine [1-9]\d* .*\n(?:.+\n)*`)

// listens returns the sockets of TCP at which a process waits for connections.
func listens(t *testing.T, pid int) (all []string) {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	var table string
	for _, name := range []string{"tcp", "tcp6"} {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name)) // a system may have no IPv6
		table += string(raw)
	}
	for _, f := range files {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, f.Name()))
		inode, isSocket := strings.CutPrefix(to, "socket:[")
		if !isSocket {
			continue
		}
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == "0A" && fields[9] == strings.TrimSuffix(inode, "]") {
				all = append(all, fields[1])
			}
		}
	}
	return all
}
