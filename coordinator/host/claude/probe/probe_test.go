//go:build unix

package probe

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runTrial runs a trial of an empty plugin on a client that is a shell script.
func runTrial(t *testing.T, ctx context.Context, script string) (Findings, error) {
	t.Helper()
	temp, plugin := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, dir := range []string{".claude-plugin", "plugin", "skills", "bin"} {
		if err := os.Mkdir(filepath.Join(plugin, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	client := filepath.Join(plugin, "claude")
	if script != "" {
		if err := os.WriteFile(client, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Trial{Client: client, Plugin: plugin, Path: "/usr/bin:/bin"}.Run(ctx)
	left, readErr := os.ReadDir(temp)
	if readErr != nil || len(left) > 0 {
		t.Errorf("the trial left %v, %v", left, readErr)
	}
	return found, err
}

// TestTrialOfNothing checks that a client that does nothing proves nothing.
func TestTrialOfNothing(t *testing.T) {
	found, err := runTrial(t, t.Context(), "exit 0")
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Finding{
		"guard":  found.Guard,
		"ask":    found.Ask,
		"stop":   found.Stop,
		"skill":  found.Skill,
		"closed": found.FailsClosed,
	} {
		if f.Proved || f.Text == "" {
			t.Errorf("%s: %+v, want no proof and a reason", name, f)
		}
	}
}

// TestTrialThatRunsAll tries a client that runs each call without a question.
func TestTrialThatRunsAll(t *testing.T) {
	found, err := runTrial(t, t.Context(), "touch ran-denied ran-asked ran-skill ran-unguarded")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Finding{found.Guard, found.Ask, found.Skill, found.FailsClosed} {
		if f.Proved || !strings.Contains(f.Text, "ran") && !strings.Contains(f.Text, "runs") {
			t.Errorf("%+v, want that a call ran", f)
		}
	}
}

// TestTrialWithoutClient names a client that does not exist.
func TestTrialWithoutClient(t *testing.T) {
	if found, err := runTrial(t, t.Context(), ""); err == nil || !strings.Contains(err.Error(), "start ") {
		t.Errorf("the trial finds %+v, %v; want an error", found, err)
	}
}

// TestTrialIsEnded checks that a trial ends with its context, even while its session
// runs.
func TestTrialIsEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := runTrial(t, ctx, "exec sleep 60"); time.Since(began) > 20*time.Second {
		t.Errorf("it ended after %v with %v", time.Since(began), err)
	}
}
