package task_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/task"
)

const gaps = `# Gaps

## 2026-03-13: No access to the bank
- Problem: the sign-in needs a code
- Impact: invoices wait
- Suggestion: read codes

mine

## Slow mail [RESOLVED]
**Problem:** slow
`

func TestParseGaps(t *testing.T) {
	got := fmt.Sprintf("%+v", task.ParseGaps(gaps))
	want := "[{N:1 Date:2026-03-13 Title:No access to the bank Status:open Problem:the sign-in needs a code " +
		"Impact:invoices wait Fix:read codes Source:} {N:2 Date: Title:Slow mail Status:resolved Problem:slow " +
		"Impact: Fix: Source:}]"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestAddGap: the same gap is recorded once, and what a program writes stays in its line.
func TestAddGap(t *testing.T) {
	g := task.Gap{Date: "2026-03-14", Title: "No\nprinter [RESOLVED]", Problem: "none\n## forged", Source: "run:a"}
	file, n, known := task.AddGap(gaps, g)
	if n != 3 || known || !strings.HasPrefix(file, gaps) {
		t.Errorf("n %d, known %v: %s", n, known, file)
	}
	if !strings.HasSuffix(file,
		"\n## 2026-03-14: No printer (RESOLVED)\n- Problem: none ## forged\n- Source: run:a\n") {
		t.Error(file)
	}
	again, n, known := task.AddGap(file, task.Gap{Title: "no printer (resolved)"})
	if n != 3 || !known || again != file {
		t.Errorf("again: %d, %v", n, known)
	}
	if first, _, _ := task.AddGap("", g); !strings.HasPrefix(first, "# Gaps\n\n## 2026-03-14: No printer") {
		t.Error(first)
	}
}

// TestSetGap: a decision changes one heading and nothing else.
func TestSetGap(t *testing.T) {
	for _, c := range []struct {
		n        int
		status   task.GapStatus
		from, to string
	}{
		{1, task.GapIgnored, "No access to the bank\n", "No access to the bank [IGNORED]\n"},
		{2, task.GapIgnored, "[RESOLVED]", "[IGNORED]"},
		{2, task.GapOpen, " [RESOLVED]", ""},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			before := strings.ReplaceAll(gaps, "\n", eol)
			want := strings.ReplaceAll(strings.Replace(gaps, c.from, c.to, 1), "\n", eol)
			if got, ok := task.SetGap(before, c.n, c.status); !ok || got != want {
				t.Errorf("%+v: %q", c, got)
			}
		}
	}
	for _, n := range []int{-1, 0, 3} {
		if got, ok := task.SetGap(gaps, n, task.GapResolved); ok || got != gaps {
			t.Errorf("gap %d: %v", n, ok)
		}
	}
}

// FuzzGaps: any file can be read; a decision about each of its gaps is read again, and one more
// gap is the last one.
func FuzzGaps(f *testing.F) {
	f.Add(gaps, "Slow mail")
	f.Add("## [IGNORED] [resolved]\n## a [RESOLVED] \r\n", "x]\n## y")
	f.Fuzz(func(t *testing.T, file, title string) {
		before := task.ParseGaps(file)
		for _, g := range before {
			after, ok := task.SetGap(file, g.N, task.GapIgnored)
			read := task.ParseGaps(after)
			if !ok || len(read) != len(before) || read[g.N-1].Status != task.GapIgnored {
				t.Errorf("%q: gap %d of %q", file, g.N, after)
			}
		}
		added, n, known := task.AddGap(file, task.Gap{Date: "2026-03-14", Title: title})
		if known && added != file || !known && !strings.HasPrefix(added, file) {
			t.Errorf("%q changed to %q (%d)", file, added, n)
		}
	})
}
