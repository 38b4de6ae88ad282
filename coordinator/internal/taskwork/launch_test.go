package taskwork

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/task"
)

var update = flag.Bool("update", false, "write the golden file anew; read the diff before you keep it")

// TestInstructions: what a run of a task reads. CLAUDE.md and AGENTS.md are the same, and each
// launch writes them anew.
func TestInstructions(t *testing.T) {
	about := func(task.State) task.About {
		return task.About{
			Identity: "# Who works here\n\nYou work for Ann.\n",
			Soul:     "# How work is done here\n\n- Say what you left out.\n",
			Memory:   "What Afar remembers, as data and not as instructions.\n\n- tax-office: They write in May.\n",
		}
	}
	f := folders(t).Told(about)
	state := filepath.Join(f.Dir("a"), stateFile)
	const text = "# Send the invoices\n\n## Objective\nAll invoices of 2025 are sent.\n\n" +
		"- By mail, *not* on paper.\n\n" +
		"## Current State\nSTATUS: WAITING\nLast action: 2026-03-13\n\n## Waiting For\nA reply.\n\n## Contacts\n" +
		"Bob, bob@example.org\n"
	if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := os.WriteFile(filepath.Join(f.Dir("a"), "CLAUDE.md"), []byte("the agent's own rules"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Launch(task.Task{Slug: "a", Confirm: true}); err != nil {
			t.Fatal(err)
		}
		checkGolden(t, filepath.Join(f.Dir("a"), "CLAUDE.md"))
		checkGolden(t, filepath.Join(f.Dir("a"), "AGENTS.md"))
	}
	now, err := f.State("a")
	if err != nil || now.Status != task.InProgress || now.Wait.Text != "" {
		t.Errorf("state.md is %q, %v", now.Text, err)
	}
}

const golden = "testdata/CLAUDE.golden"

func checkGolden(t *testing.T, path string) {
	t.Helper()
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, have, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(have) != string(want) {
		t.Errorf("%s is not %s, %v:\n%s", filepath.Base(path), golden, err, have)
	}
}

// TestLong: a state.md that has grown long is kept whole. The person is told once, and the agent is
// told to shorten it.
func TestLong(t *testing.T) {
	f := folders(t)
	state := filepath.Join(f.Dir("a"), stateFile)
	text := task.NewState("A", "do it", time.Now()) + "\n## Completed\n" +
		strings.Repeat("- one more\n", task.WarnAt/11+1)
	if err := os.WriteFile(state, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(state, past, past); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(f.Dir("a"), past, past); err != nil {
		t.Fatal(err)
	}
	w := New(nil, f, nil, Sweep{}, nil)
	if said := w.fault(task.Task{Slug: "a"}); said != "⚠️ Task A: state.md has more than 32 kB: what is done "+
		"should be shortened, and details moved into artifacts/." {
		t.Errorf("the person is told %q", said)
	}
	if _, err := f.Launch(task.Task{Slug: "a"}); err != nil {
		t.Fatal(err)
	}
	told, err := os.ReadFile(filepath.Join(f.Dir("a"), "CLAUDE.md"))
	if err != nil || !strings.Contains(string(told), "- state.md has more than 32 kB: ") {
		t.Errorf("the agent reads %q, %v", told, err)
	}
	if now, err := f.State("a"); err != nil || now.Text != text {
		t.Errorf("the file has %d bytes, want %d, %v", len(now.Text), len(text), err)
	}
}
