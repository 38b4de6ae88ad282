package hooks

import (
	"fmt"
	"strings"
	"testing"
)

func digestOf(text string, piece int) (tail, digest string) {
	o := newOutput()
	for len(text) > piece {
		fmt.Fprint(o, text[:piece])
		text = text[piece:]
	}
	fmt.Fprint(o, text)
	return o.end()
}

// TestOutputDigest: the digest ignores what differs between two runs of the same program,
// and nothing else.
func TestOutputDigest(t *testing.T) {
	const failure = "--- FAIL: TestA (0.01s)\n    a_test.go:12: have 3, want 4\nFAIL\tx\t0.312s\n"
	_, want := digestOf(failure, 1000)
	for name, tt := range map[string]struct {
		text string
		same bool
	}{
		"lengths of time":     {strings.NewReplacer("0.01s", "0.30s", "0.312s", "12.9s").Replace(failure), true},
		"another line number": {strings.ReplaceAll(failure, "go:12", "go:13"), false},
		"progress":            {strings.ReplaceAll(failure, "have 3", "have 5"), false},
		"no end of line":      {strings.TrimSuffix(failure, "\n"), true},
		"empty":               {"", false},
	} {
		if _, got := digestOf(tt.text, 1000); (got == want) != tt.same {
			t.Errorf("%s: same digest: %v, want %v", name, got == want, tt.same)
		}
	}
	for _, pair := range [][2]string{
		{"at 12:30:01 on 2026-03-01T", "at 7:05 on 2027-12-31"},
		{"goroutine at 0xc000012", "goroutine at 0xfe"},
		{"took 3 seconds", "took 12 seconds"},
		{"real 1m30.5s", "real 2m0.1s"},
	} {
		_, a := digestOf(pair[0], 1000)
		if _, b := digestOf(pair[1], 1000); a != b {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
}

// TestOutputPieces: the digest does not depend on the pieces in which a program prints.
// Only the end of the output is kept.
func TestOutputPieces(t *testing.T) {
	long := strings.Repeat("ok  \tpkg\t0.25s\n", 2000) + strings.Repeat("x", 3*longLine) + "\nend\n"
	tail, want := digestOf(long, len(long))
	if len(tail) != tailBytes || !strings.HasSuffix(tail, "xx\nend\n") {
		t.Errorf("%d bytes are kept, ending in %q", len(tail), tail[len(tail)-10:])
	}
	for _, piece := range []int{1, 7, 4096, 1 << 20} {
		if _, got := digestOf(long, piece); got != want {
			t.Errorf("in pieces of %d the digest differs", piece)
		}
	}
}

func TestOutputNews(t *testing.T) {
	o := newOutput()
	for i, tt := range []struct{ printed, news string }{
		{"one\n", "one\n"},
		{"", ""},
		{"two\n", "two\n"},
		{strings.Repeat("y", tailBytes+10), strings.Repeat("y", tailBytes)},
		{"z", "z"},
	} {
		fmt.Fprint(o, tt.printed)
		if got := o.news(); got != tt.news {
			t.Errorf("%d: news of %d bytes, want %d", i, len(got), len(tt.news))
		}
	}
}
