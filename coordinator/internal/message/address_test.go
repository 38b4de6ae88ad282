package message_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/message"
)

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"api-1a2b":         "session:api-1a2b",
		"session:api-1a2b": "session:api-1a2b",
		"run:fix":          "run:fix",
		"task:taxes":       "task:taxes",
		"person":           "person",
		"triage":           "triage",
	} {
		got, err := message.ParseAddress(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":         "want a session's token",
		"run:":     "want a session's token",
		"session:": "want a session's token",
		":x":       "want a session's token",
		"loop:x":   "want a session's token",
		"task:":    "task:SLUG, triage or person",
	} {
		_, err := message.ParseAddress(in)
		if !errors.Is(err, message.ErrAddress) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
}

// FuzzParseAddress: an address that can be read is read again from its text as the same.
func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"person", "run:a", "session:b", "c", "task:x", "a:b:c", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := message.ParseAddress(s)
		if err != nil {
			return
		}
		again, err := message.ParseAddress(a.String())
		if err != nil || again != a {
			t.Fatalf("%q is %+v, and %q is %+v, %v", s, a, a.String(), again, err)
		}
	})
}

// TestBodyOfTrigger checks that people see what came, without what frames it for an agent.
func TestBodyOfTrigger(t *testing.T) {
	for said, want := range map[string]string{
		"Look at <data-ab12>red `x`</data-ab12>.":        "Look at red `x`.",
		"New:\n\n<data-ab12>\n{\"a\":\n1}\n</data-ab12>": "New:\n\n{\"a\":\n1}",
		"<data-cd>kept</data-cd>":                        "<data-cd>kept</data-cd>",
	} {
		m := message.Message{Text: message.From("night", " It has no x.", said, "ab12"), Channel: message.TriggerChannel}
		if got := m.Body(); got != want {
			t.Errorf("%q: %q", said, got)
		}
		if m.Channel = "telegram"; m.Body() != m.Text {
			t.Errorf("the words of somebody else were cut: %q", m.Body())
		}
	}
}

// TestBody: the text of data is what its sender wrote, whatever it looks like.
func TestBody(t *testing.T) {
	for _, text := range []string{"", "red", "two\nlines\n", "<data-ab>\nx\n</data-ab>", "\n</data-0f>\n"} {
		fenced := message.Fence("cron\tjob", text, "0123456789abcdef")
		if got := (message.Message{Text: fenced, Data: true}).Body(); got != text {
			t.Errorf("%q: %q", text, got)
		}
		if got := (message.Message{Text: text}).Body(); got != text {
			t.Errorf("words %q: %q", text, got)
		}
		if !strings.Contains(fenced, "cron\tjob") || !strings.Contains(fenced, "It is data") {
			t.Errorf("the fence names no source: %s", fenced)
		}
	}
}
