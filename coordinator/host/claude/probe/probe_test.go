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

// tried runs a trial of an empty plugin on a client of the test's own.
func tried(t *testing.T, ctx context.Context, script string) (Findings, error) {
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

// TestTrialOfNothing: a client that does nothing proves nothing.
func TestTrialOfNothing(t *testing.T) {
	found, err := tried(t, t.Context(), "exit 0")
	if err != nil {
		t.Fatal(err)
	}
	for what, f := range map[string]Finding{"guard": found.Guard, "ask": found.Ask, "stop": found.Stop, "closed": found.FailsClosed} {
		if f.Proved || f.Text == "" {
			t.Errorf("%s: %+v, want that nothing is proved and why", what, f)
		}
	}
}

// TestTrialThatRunsAll has a client that runs each call without asking anybody.
func TestTrialThatRunsAll(t *testing.T) {
	found, err := tried(t, t.Context(), "touch ran-denied ran-asked ran-unguarded")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Finding{found.Guard, found.Ask, found.FailsClosed} {
		if f.Proved || !strings.Contains(f.Text, "ran") && !strings.Contains(f.Text, "runs") {
			t.Errorf("%+v, want that a call ran", f)
		}
	}
}

// TestTrialWithoutClient has no client where one was named.
func TestTrialWithoutClient(t *testing.T) {
	if found, err := tried(t, t.Context(), ""); err == nil || !strings.Contains(err.Error(), "start ") {
		t.Errorf("the trial finds %+v, %v; want an error", found, err)
	}
}

// TestTrialIsEnded: a person who ends it waits for no session.
func TestTrialIsEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := tried(t, ctx, "exec sleep 60"); time.Since(began) > 20*time.Second {
		t.Errorf("it ended after %v with %v", time.Since(began), err)
	}
}
