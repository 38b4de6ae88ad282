package transcript_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
)

// held are lines as the client writes them: a prompt, what hooks added, and lines that only repeat
// what is in the conversation.
const held = `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-23T11:00:00.000Z","content":"queued only"}
{"type":"user","timestamp":"2026-11-23T11:00:01.000Z","message":{"role":"user","content":"count \"them\"\nall"}}
{"type":"attachment","timestamp":"2026-11-23T11:00:02.000Z","attachment":{"type":"hook_additional_context","content":["the first note"]}}
{"type":"user","timestamp":"2026-11-23T11:00:03.000Z","message":{"role":"user","content":[{"type":"text","text":"Stop hook feedback:\nthe second note"}]}}
{"type":"assistant","timestamp":"2026-11-23T11:00:04.000Z","message":{"content":[{"type":"text","text":"the model said it"}]}}
{"type":"last-prompt","lastPrompt":"last only"}
broken
{"type":"user","timestamp":"2026-11-23T11:00:05.500Z","message":{"role":"user","content":"cut o`

// TestHolds checks that a text counts as given only where the model gets it, and only since a time.
func TestHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(held), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(seconds int) time.Time { return time.Date(2026, 11, 23, 11, 0, seconds, 600_000, time.UTC) }
	for _, c := range []struct {
		text  string
		since time.Time
		want  bool
	}{
		{"count \"them\"\nall\n", at(0), true},
		{"count \"them\"\nall", at(1), true}, // the client's clock has milliseconds
		{"count \"them\"\nall", at(2), false},
		{"the first note", at(1), true},
		{"the second note", at(1), true},
		{"the second note", at(4), false},
		{"queued only", at(0), false},
		{"the model said it", at(0), false},
		{"last only", at(0), false},
		{"cut o", at(0), false},
		{"never", at(0), false},
	} {
		if got, ok := transcript.Holds(path, c.text, c.since); got != c.want || !ok {
			t.Errorf("%q since %s: %t, %t; want %t", c.text, c.since.Format(time.TimeOnly), got, ok, c.want)
		}
	}
	if got, ok := transcript.Holds(path+".none", "x", at(0)); got || ok {
		t.Errorf("a transcript that was never written: %t, %t", got, ok)
	}
	if got, ok := transcript.Holds(t.TempDir(), "x", at(0)); got || ok {
		t.Errorf("a directory: %t, %t", got, ok)
	}
}

// FuzzHolds feeds any transcript.
func FuzzHolds(f *testing.F) {
	f.Add([]byte(held), "the first note")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := transcript.Holds(path, text, time.Time{}); !ok {
			t.Error("a file was not read")
		}
	})
}
