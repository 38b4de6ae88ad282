package main

import (
	"strings"
	"testing"
)

func TestCutLine(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"", 10, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…\x1b[0m"},
		{"\x1b[1mabc\x1b[0m", 3, "\x1b[1mabc\x1b[0m"},
		{"\x1b[1mabcd\x1b[0m", 3, "\x1b[1mab…\x1b[0m"},
		{"日本語", 5, "日本…\x1b[0m"},
		{"日本語", 4, "日…\x1b[0m"},
		{"\x1b]8;;http://h/a\x1b\\abc\x1b]8;;\x1b\\", 3, "\x1b]8;;http://h/a\x1b\\abc\x1b]8;;\x1b\\"},
		{"\x1b]8;;http://h/a\x1b\\abcd", 3, "\x1b]8;;http://h/a\x1b\\ab…\x1b[0m\x1b]8;;\x1b\\"},
		{"\x1b]8;;never ended", 3, "\x1b]8;;never ended"},
		{"✔ ok · x", 8, "✔ ok · x"},
	} {
		if got := cutLine(c.line, c.width); got != c.want {
			t.Errorf("cutLine(%q, %d) = %q, want %q", c.line, c.width, got, c.want)
		}
	}
}

func TestScreen(t *testing.T) {
	got := screen("a\nb\nc\nd\n", 80, 3)
	want := "\x1b[Ha\x1b[K\nb\x1b[K\n… 2 more lines\x1b[K\x1b[J"
	if got != want {
		t.Errorf("a text that is too long: %q, want %q", got, want)
	}
	if got := screen("a\nb\n", 80, 3); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "b\x1b[K\x1b[J") {
		t.Errorf("a short text: %q", got)
	}
}
