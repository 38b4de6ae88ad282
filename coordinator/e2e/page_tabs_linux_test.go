package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// BenchmarkTabs measures what a change costs the coordinator with one open page and with 50:
// time of its processor, memory, and the time until the change is on the page. It also
// measures what 50 pages cost while nothing happens.
func BenchmarkTabs(b *testing.B) {
	s := stillSite(b, "127.0.0.1:0")
	s.run()
	s.signIn()
	first := s.watch()
	one := s.changes(b, first)
	before := s.usage()
	for range 49 {
		tab := s.watch()
		go func() {
			for tab.Scan() { // a browser reads what comes
			}
		}()
	}
	for s.changes(b, first); b.Loop(); {
		fifty := s.changes(b, first)
		b.ReportMetric(fifty.took.Seconds()*1e3, "ms-to-page")
		b.ReportMetric(fifty.processor.Seconds()*1e3, "ms-processor-50")
		b.ReportMetric(one.processor.Seconds()*1e3, "ms-processor-1")
		b.ReportMetric(fifty.processor.Seconds()/one.processor.Seconds(), "x-processor")
	}
	memory := s.usage().memory - before.memory
	idle, begin := s.usage(), time.Now()
	time.Sleep(3 * time.Second)
	b.ReportMetric(float64(memory)/49/1024, "kB-per-tab")
	b.ReportMetric(100*(s.usage().processor-idle.processor).Seconds()/time.Since(begin).Seconds(), "%-processor-idle")
}

// A cost is what one change costs.
type cost struct{ processor, took time.Duration }

// changes makes 40 changes, each once the one before is on the page, and returns what one costs.
func (s *site) changes(b *testing.B, on *bufio.Scanner) cost {
	const n = 40
	before, begin := s.usage(), time.Now()
	for i := range n {
		in := wire.PauseRequest{On: i%2 == 0}
		body, err := json.Marshal(in)
		if err != nil {
			b.Fatal(err)
		}
		pause := wire.Request{V: wire.Version, Op: string(wire.OpPause), Body: body}
		if _, err := s.client().Call(pause, time.Now().Add(patience)); err != nil {
			b.Fatal(err)
		}
		for want := fmt.Sprintf(`action="/%s"`, map[bool]string{true: "resume", false: "pause"}[in.On]); ; {
			if !on.Scan() {
				b.Fatal("the stream ended")
			}
			if strings.Contains(on.Text(), want) {
				break
			}
		}
	}
	return cost{(s.usage().processor - before.processor) / n, time.Since(begin) / n}
}

// watch opens the stream of the first page.
func (s *site) watch() *bufio.Scanner {
	body := s.stream()
	s.t.Cleanup(func() { body.Close() })
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	return lines
}

// A usage is what the coordinator has used so far.
type usage struct {
	processor time.Duration
	memory    int64 // in bytes
}

func (s *site) usage() (u usage) {
	s.t.Helper()
	dir := "/proc/" + strconv.Itoa(s.pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		s.t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, ticks := range fields[11:13] { // of the user and of the kernel, a hundred each second
		n, _ := strconv.Atoi(ticks)
		u.processor += time.Duration(n) * 10 * time.Millisecond
	}
	statm, err := os.ReadFile(dir + "/statm")
	if err != nil {
		s.t.Fatal(err)
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	u.memory = pages * int64(os.Getpagesize())
	return u
}
