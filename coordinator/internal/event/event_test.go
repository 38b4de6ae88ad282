package event_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

func entry() event.Event {
	return event.Event{
		Seq:     7,
		At:      time.UnixMilli(1_700_000_000_123),
		Kind:    event.AskOpened,
		Session: "s",
		Subject: "a",
		Text:    "t",
	}
}

// TestChain checks that the hash depends on every field and on the entry before.
func TestChain(t *testing.T) {
	base := entry().Chain("prev")
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(base) || base != entry().Chain("prev") {
		t.Fatalf("have %q", base)
	}
	change := map[string]func(*event.Event){
		"seq":               func(e *event.Event) { e.Seq++ },
		"at":                func(e *event.Event) { e.At = e.At.Add(time.Millisecond) },
		"kind":              func(e *event.Event) { e.Kind += "x" },
		"session":           func(e *event.Event) { e.Session += "x" },
		"subject":           func(e *event.Event) { e.Subject += "x" },
		"text":              func(e *event.Event) { e.Text += "x" },
		"subject into text": func(e *event.Event) { e.Subject, e.Text = "", "at" },
		"forged border":     func(e *event.Event) { e.Session, e.Subject = "s|1:a", "" },
		"session into kind": func(e *event.Event) { e.Kind, e.Session = e.Kind+"s", "" },
	}
	one, two := entry(), entry()
	one.Session, one.Subject = "s", "a|b"
	two.Session, two.Subject = "s|a", "b"
	if one.Chain("prev") == two.Chain("prev") {
		t.Error("two entries look alike: the border between fields moved")
	}
	seen := map[string]string{
		base:                   "nothing",
		entry().Chain("other"): "the entry before",
		entry().Chain(""):      "no entry before",
	}
	if len(seen) != 3 {
		t.Error("the entry before does not count")
	}
	for name, f := range change {
		e := entry()
		f(&e)
		if other, ok := seen[e.Chain("prev")]; ok {
			t.Errorf("%s is the same as %s", name, other)
		}
		seen[e.Chain("prev")] = name
	}
}

// TestChainIsOfWhatIsStored checks that the hash does not depend on anything that is not
// stored.
func TestChainIsOfWhatIsStored(t *testing.T) {
	a, b := entry(), entry()
	b.Hash = "x"
	b.At = b.At.Add(999 * time.Microsecond).In(time.FixedZone("z", 3600))
	if a.Chain("p") != b.Chain("p") {
		t.Error("an entry that was read back has another hash")
	}
}
