package tracker

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestRealBeadsConforms runs bd itself if it is in PATH. A run of bd takes most of a
// second, and the suite a minute or two.
func TestRealBeadsConforms(t *testing.T) {
	needBeads(t)
	slow = 1100 * time.Millisecond // bd stores the time of creation in whole seconds
	defer func() { slow = 0 }()
	conform(t, func(t *testing.T) Tracker { return realBeads(t, t.TempDir()) })
}

func needBeads(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bd"); err != nil || testing.Short() {
		t.Skip("bd is not in PATH: go build github.com/steveyegge/beads/cmd/bd at v1.0.0")
	}
}

// TestRealBeadsRunsNothing checks that the scripts of a project for bd do not run.
func TestRealBeadsRunsNothing(t *testing.T) {
	needBeads(t)
	top := t.TempDir()
	b := bench{t, realBeads(t, top)}
	ran := filepath.Join(top, "ran")
	for _, name := range []string{"on_create", "on_update", "on_close"} {
		path := filepath.Join(top, ".beads", "hooks", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho $0 >>"+ran+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.set(b.make("one", 2).ID, StatusPaused, "x")
	b.set(b.make("two", 2).ID, StatusClosed, "x")
	time.Sleep(time.Second) // bd runs them in the background
	if raw, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran: %s", raw)
	}
}

func realBeads(t *testing.T, top string) Tracker {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	for _, args := range [][]string{
		{"git", "init", "-q"},
		{"git", "config", "user.email", "ann@example.org"},
		{"git", "config", "user.name", "Ann"},
		{"bd", "init", "--prefix=acme", "--quiet", "--skip-hooks", "--skip-agents", "--non-interactive"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = top, append(os.Environ(), "BD_NON_INTERACTIVE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	found, err := Open(top, "")
	if err != nil || found.Name() != "bd" || InTree(found) {
		t.Fatalf("found %v, %v", found, err)
	}
	return found
}
