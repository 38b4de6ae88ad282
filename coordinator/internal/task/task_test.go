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
	text := Instructions(s)
	for _, want := range []string{"# Task: Invoices\n", goal, "STATUS: WAITING", "NEXT ACTION:", "checkpoint.md", "## Contacts"} {
		if !strings.Contains(text, want) {
			t.Errorf("CLAUDE.md has no %q:\n%s", want, text)
		}
	}
}

// TestDue: only a task that waits, was worked on and is not stopped goes on by itself, at its date.
func TestDue(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }
	waits := ParseState(seedState, time.UTC) // by 2026-03-16
	for name, c := range map[string]struct {
		task Task
		file State
		now  time.Time
		want bool
	}{
		"due":              {Task{Run: "r"}, waits, at(17), true},
		"not yet":          {Task{Run: "r"}, waits, at(16), false},
		"stopped":          {Task{Run: "r", Stopped: true}, waits, at(17), false},
		"never started":    {Task{}, waits, at(17), false},
		"does not wait":    {Task{Run: "r"}, ParseState(waits.WithoutWait(), time.UTC), at(17), false},
		"completed":        {Task{Run: "r"}, ParseState(waits.WithStatus(Completed), time.UTC), at(17), false},
		"unknown status":   {Task{Run: "r"}, ParseState(waits.WithStatus("PAUSE"), time.UTC), at(17), false},
		"without any date": {Task{Run: "r"}, ParseState(strings.ReplaceAll(seedState, "2026-03-16", "then"), time.UTC), at(17), false},
	} {
		if got := c.task.Due(c.file, c.now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
