package ask

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"the same", "a\nb\n", "a\nb\n", "  a\n  b"},
		{"one line of many", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"  … 2 lines stay the same …\n  3\n  4\n- 5\n+ five\n  6\n  7\n  … 2 lines stay the same …"},
		{"two places", "a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nc\nd\ne\nf\ng\nH\n",
			"- a\n+ A\n  b\n  c\n  … 2 lines stay the same …\n  f\n  g\n- h\n+ H"},
		{"all new", "", "a\nb", "+ a\n+ b"},
		{"all gone", "a\nb\n", "", "- a\n- b"},
		{"only the last break", "a\n", "a", "  a\n(the line break at the end goes)"},
	} {
		if got := diff(c.old, c.new); got != c.want {
			t.Errorf("%s: have\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestDiffTellsTheChange checks that the new text can be made from a diff, and that a diff
// shows every added and every removed line.
func TestDiffTellsTheChange(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "- a", "+ b"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		old, new := lines.Draw(t, "old"), lines.Draw(t, "new")
		var removed, added []string
		for _, line := range strings.Split(diff(strings.Join(old, "\n"), strings.Join(new, "\n")), "\n") {
			switch {
			case strings.HasPrefix(line, "- "):
				removed = append(removed, line[2:])
			case strings.HasPrefix(line, "+ "):
				added = append(added, line[2:])
			}
		}
		raw := func(lines []string) (out []string) {
			for _, l := range split(strings.Join(lines, "\n")) {
				out = append(out, l.text)
			}
			return out
		}
		count := map[string]int{}
		for i, side := range [][]string{raw(old), removed, added, raw(new)} {
			for _, line := range side {
				count[line] += []int{1, -1, 1, -1}[i]
			}
		}
		for line, n := range count {
			if n != 0 {
				t.Fatalf("the line %q is told wrong by %d", line, n)
			}
		}
	})
}

// TestDiffIsBounded checks that a diff of two different texts is fast, and that only the shown
// part of a huge text is kept. The yardstick is a part of it, masked at the same time, and the best of
// several tries counts, so that the load of the machine does not matter.
func TestDiffIsBounded(t *testing.T) {
	old, new := strings.Repeat("a\n", 50_000), strings.Repeat("b\n", 50_000)
	if got := diff(old, new); strings.Count(got, "- a") != 50_000 || strings.Count(got, "+ b") != 50_000 {
		t.Errorf("have %d bytes", len(got))
	}
	for _, huge := range []string{strings.Repeat("0123456789 abcdefghij\n", 400_000),
		strings.Repeat("0123456789", 800_000)} {
		got, part := "", math.Inf(1)
		for try := 0; try < 8 && part > 1; try++ {
			start := time.Now()
			diff("", huge[:maskText])
			whole := time.Since(start) * time.Duration(len(huge)/maskText)
			start = time.Now()
			got = diff("", "first\n"+huge+"\nlast")
			part = min(part, float64(time.Since(start))/float64(whole))
		}
		if !strings.HasPrefix(got, "+ first\n") || !strings.HasSuffix(got, "+ last") ||
			!strings.Contains(got, "left out") {
			t.Errorf("have %d bytes: %.40q", len(got), got)
		}
		if len(got) > 400<<10 || part > 1 {
			t.Errorf("%d bytes, in %.1f times what masking all of it takes", len(got), part)
		}
	}
}
