//go:build unix

package web_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// processor returns the time of processors that this program has used.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkPages measures each page with 10,000 sessions and 100,000 journal entries. The
// yardstick is the smallest file of the page, over the same way.
func BenchmarkPages(b *testing.B) {
	s := served(b, crowd()...)
	v := s.core.Sessions()[0]
	s.runs(b, "fix", slices.Repeat([]run.Event{
		{Kind: run.Text, Text: "It was the **clock**, and here is `why`."},
		{Kind: run.ToolStart, Tool: "Bash", Call: "c", Text: `{"command":"go test ./..."}`},
		{Kind: run.ToolResult, Call: "c", Text: strings.Repeat("ok  \tsome/package\t0.1s\n", 20)},
	}, 100)...)
	yardstick := s.median(b, "/static/afar.svg")
	for _, path := range pagesOf(v.Token) {
		b.Run(strings.ReplaceAll(path, v.Token, "TOKEN"), func(b *testing.B) {
			var took []time.Duration
			before := processor(b)
			for b.Loop() {
				begin := time.Now()
				s.get(b, path)
				took = append(took, time.Since(begin))
			}
			used := processor(b) - before
			p95 := quantile(took, 0.95)
			b.ReportMetric(float64(used.Microseconds())/1000/float64(len(took)), "ms-processor")
			b.ReportMetric(float64(p95.Microseconds())/1000, "ms-p95")
			b.ReportMetric(float64(quantile(took, 0.5))/float64(yardstick), "x-file")
		})
	}
}

// pagesOf returns the paths of all pages.
func pagesOf(token string) []string {
	return []string{
		"/", "/sessions?from=5000", "/session/" + token, "/runs", "/run/fix", "/loops", "/questions", "/guard",
		"/report", "/settings",
	}
}

// crowd returns 10,000 sessions and 100,000 journal entries about them.
func crowd() (out []store.Batch) {
	kinds := []event.Kind{event.GuardDenied, event.LoopStepped, event.AskRan, event.Told}
	for part := range 100 {
		var b store.Batch
		for i := range 100 {
			n := part*100 + i
			store.Sessions.Put(&b, session.Session{
				ID: session.ID(fmt.Sprintf("s%05d", n)), Token: fmt.Sprintf("shop-%04x", n), Project: "/home/ann/shop",
				Cwd: "/home/ann/shop", State: session.Idle, Hooked: true, Since: time.Now(), SeenAt: time.Now(),
			})
		}
		for i := range 1000 {
			n := part*1000 + i
			b.Events = append(b.Events, event.Event{
				At: time.Now(), Kind: kinds[n%4], Session: session.ID(fmt.Sprintf("s%05d", n%10_000)),
				Subject: fmt.Sprint(n), Text: "something happened here",
			})
		}
		out = append(out, b)
	}
	return out
}

func (s *subject) median(b testing.TB, path string) time.Duration {
	var took []time.Duration
	for range 100 {
		begin := time.Now()
		s.get(b, path)
		took = append(took, time.Since(begin))
	}
	return quantile(took, 0.5)
}

func quantile(took []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[int(q*float64(len(sorted)-1))]
}
