package task

import (
	"strings"
	"testing"
	"time"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]Slug{
		"Invoice Tracking 2025": "invoice-tracking-2025", "  Ünter: x/../y  ": "nter-x-y", "": "task", "日本": "task",
		strings.Repeat("long ", 20): "long-long-long-long-long-long-long-l", "taken": "taken-3",
	} {
		got := NewSlug(title, func(s Slug) bool { return s == "taken" || s == "taken-2" })
		if got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
		if err := CheckSlug(string(got)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "..", "a/b", "-a", "A", strings.Repeat("a", 41), "a\x00"} {
		if CheckSlug(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// TestSteps: a start by a person ends a stop; each turn is looked at once.
func TestSteps(t *testing.T) {
	v := Task{Slug: "a"}.Launch("r1").Stop()
	if !v.Stopped || v.Run != "r1" {
		t.Errorf("%+v", v)
	}
	if v = v.Launch("r1"); v.Stopped {
		t.Error("still stopped after a start")
	}
	v, due := v.Look(3)
	if again, twice := v.Look(3); !due || twice || again.Seen != 3 {
		t.Errorf("due %v, twice %v, %+v", due, twice, again)
	}
	if v = v.Launch("r2"); v.Seen != 0 {
		t.Error("another run begins with turn 1 again")
	}
}

// TestInstructions: the objective stands verbatim in the prompt, and a new task's folder
// explains each rule that Afar depends on.
func TestInstructions(t *testing.T) {
	goal := "Verify *all* invoices;\nask `billing@example.com`."
	s := ParseState(NewState("Invoices", goal, time.Date(2026, 3, 13, 0, 0, 0, 0, time.UTC)), time.UTC)
	s.Contacts = "- billing@example.com"
	first, next := Prompts(s)
	if !strings.Contains(first, goal) || strings.Contains(next, goal) {
		t.Errorf("prompts %q, %q", first, next)
	}
	text := Instructions(s, About{})
	for _, want := range []string{"# Task: Invoices\n", goal, "STATUS: WAITING", "NEXT ACTION:", "checkpoint.md",
		"## Contacts"} {
		if !strings.Contains(text, want) {
			t.Errorf("CLAUDE.md has no %q:\n%s", want, text)
		}
	}
}

// TestInstructionsAbout: what the person wrote about who works here and how stands behind the
// rules, and memory comes last.
func TestInstructionsAbout(t *testing.T) {
	s := ParseState(NewState("Invoices", "All are sent.", time.Date(2026, 3, 13, 0, 0, 0, 0, time.UTC)), time.UTC)
	bare := Instructions(s, About{Identity: "# Who\n\n", Soul: " "})
	if bare != Instructions(s, About{}) {
		t.Errorf("empty texts leave a trace:\n%s", bare)
	}
	about := About{Identity: "# Who\n\nYou are Max.\n", Soul: "Be brief.", Memory: "- a: fact\n"}
	want := bare + "\n## Who works here\n\nYou are Max.\n\n## How work is done here\n\nBe brief.\n\n## Memory\n\n" +
		"- a: fact\n"
	if have := Instructions(s, about); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
}
