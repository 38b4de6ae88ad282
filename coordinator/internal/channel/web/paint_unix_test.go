//go:build unix

package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/browser"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// paintMost is how long a browser may take to the first paint of a page.
const paintMost = 200 * time.Millisecond

// TestFirstPaint opens each page in a real browser, with 10,000 sessions and 100,000 journal
// entries, and asks the browser when it first showed something of it.
func TestFirstPaint(t *testing.T) {
	long.Only(t)
	b := browser.Start(t)
	s := served(t, crowd()...)
	token := s.core.Sessions()[0].Token
	code, _, err := s.core.NewLink()
	if err != nil {
		t.Fatal(err)
	}
	tab := b.Tab(t)
	tab.View(1280, 900, false)
	tab.Open(s.ch.URL() + "/signin/" + code)
	for _, path := range pagesOf(token) {
		var took []time.Duration
		for range 11 {
			tab.Open(s.ch.URL() + path)
			took = append(took, paint(tab))
		}
		median := quantile(took, 0.5)
		t.Logf("%-22s %3d ms, at p95 %3d ms", strings.ReplaceAll(path, token, "TOKEN"), median.Milliseconds(),
			quantile(took, 0.95).Milliseconds())
		if median > paintMost {
			t.Errorf("%s is first painted after %v, want %v", path, median, paintMost)
		}
	}
}

// paint returns how long after its request the page of a tab was first painted.
func paint(tab *browser.Tab) time.Duration {
	const entry = `performance.getEntriesByName("first-contentful-paint")`
	tab.Wait(entry + ".length")
	return time.Duration(browser.Eval[float64](tab, entry+"[0].startTime") * float64(time.Millisecond))
}
