package message

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestPrompt: a mod submits the bare text. The host refuses one that begins with a slash.
func TestPrompt(t *testing.T) {
	for text, want := range map[string]string{
		"go on":           "go on",
		" go on\n":        "go on",
		"a\n /b":          "a\n /b",
		"/etc is wrong":   "(written from afar) /etc is wrong",
		"\n /compact now": "(written from afar) /compact now",
	} {
		if got := (Message{Text: text}).Prompt(); got != want {
			t.Errorf("%q is submitted as %q, want %q", text, got, want)
		}
	}
}

// TestShowPrompt: only a prompt with exactly the text of a submitted message ends it, once.
func TestShowPrompt(t *testing.T) {
	now := time.Unix(1000, 0)
	m := Add(Message{Key: "k", Session: "s", Text: "go on", By: "Ada"}, 0, now)
	taken := Submit(m, "d", session.Process{PID: 7}, now)
	for name, c := range map[string]struct {
		before Message
		prompt string
		own    bool
		want   bool
	}{
		"submitted":                 {taken, "go on\n", true, true},
		"submitted, origin unknown": {taken, "go on", false, true},
		"another text":              {taken, "go", true, false},
		"taken back meanwhile":      {m, "go on", true, true},
		"typed by chance":           {m, "go on", false, false},
		"a hook has it":             {Message{Session: "s", Text: "go on", State: Delivered}, "go on", true, false},
		"done":                      {Message{Session: "s", Text: "go on", State: Done}, "go on", true, false},
		"data":                      {Message{Session: "s", Text: "go on", State: Pending, Data: true}, "go on", true, false},
	} {
		got, ok := ShowPrompt([]Message{c.before}, "s", c.prompt, "", c.own, now)
		if ok != c.want || ok && got.State != Done {
			t.Errorf("%s: %t, %+v", name, ok, got)
		}
	}
	printed := taken
	printed.Unproven = false
	if got := Finish([]Message{taken, printed}, "s", "other", now); len(got) != 0 {
		t.Error("a later hook ended a text that no prompt has shown")
	}
	lost := Lost([]Message{taken}, func(Message) bool { return true })
	if len(lost) != 1 || !lost[0].Submittable() {
		t.Errorf("its waiter died before it printed the text, which is then %+v", lost)
	}
}
