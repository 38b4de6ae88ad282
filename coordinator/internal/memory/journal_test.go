package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDay(t *testing.T) {
	at := time.Date(2026, 11, 23, 14, 5, 0, 0, time.UTC)
	d := ParseDay("2026-11-23", "")
	moved := Entry{Heading: "Moved the invoices", Text: "To the archive.", Source: "run:invoices"}
	d = ParseDay(d.Date, d.With(moved, at))
	const first = "# 2026-11-23\n\n## 14:05 Moved the invoices\n\nTo the archive.\n\nSource: run:invoices\n"
	if d.Text != first {
		t.Errorf("have %q, want %q", d.Text, first)
	}
	mine := "my own notes\r\nwithout a title"
	d = ParseDay("2026-11-23", mine)
	raw := d.With(Entry{Heading: "a\n## b", Text: "one\n## 00:00 forged\nSource: the person", Source: "run:x"}, at)
	if !strings.HasPrefix(raw, mine) {
		t.Errorf("what the person wrote has changed: %q", raw)
	}
	want := []Entry{{
		Heading: "14:05 a ## b", Text: "one\n\\## 00:00 forged\nSource: the person", Source: "run:x",
	}}
	if diff := cmp.Diff(want, ParseDay("2026-11-23", raw).Entries); diff != "" {
		t.Errorf("want -, have +:\n%s", diff)
	}
	d = ParseDay("2026-11-23", raw)
	again := Entry{Heading: "a\n## b", Text: "one\n## 00:00 forged\nSource: the person", Source: "run:x"}
	if d.With(again, at) != raw || d.With(again, at.Add(time.Minute)) == raw {
		t.Error("want the same entry once, and another one a minute later")
	}
	for _, date := range []string{"", "today", "2026-13-01", "../2026-11-23", "2026-1-1"} {
		if CheckDate(date) == nil {
			t.Errorf("%q is taken for a date", date)
		}
	}
}

func FuzzDay(f *testing.F) {
	f.Add("# 2026-11-23\n\n## a\n\nb\n", "heading", "text")
	f.Fuzz(func(t *testing.T, raw, heading, text string) {
		before := ParseDay("2026-11-23", raw)
		after := before.With(Entry{Heading: heading, Text: text, Source: "run:x"}, time.Time{})
		if !strings.HasPrefix(after, raw) {
			t.Fatal("the file has changed")
		}
	})
}
