//go:build unix

package plugin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/claude"
	"github.com/afar-sh/afar/coordinator/probe"
	"github.com/afar-sh/afar/coordinator/standin/host"
)

// TestRealLive runs the trials of `afar doctor --live` on every client.
func TestRealLive(t *testing.T) {
	t.Parallel()
	for name, version := range allClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := tryOn(t, version, root)
			for what, f := range map[string]probe.Finding{"guard": found.Guard, "ask": found.Ask, "stop": found.Stop} {
				if !f.Proved {
					t.Errorf("%s: not proved: %s", what, f.Text)
				}
			}
			if found.FailsClosed.Proved != claude.Stops(version) {
				t.Errorf("the missing guard: %+v", found.FailsClosed)
			}
		})
	}
}

func tryOn(t *testing.T, version, plugin string) probe.Findings {
	t.Helper()
	trial := probe.Trial{Client: host.Need(t, version), Plugin: plugin, Path: os.Getenv("PATH")}
	found, err := trial.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRealLiveBroken breaks one part after the other. The trial finds what no
// longer works, and nothing else.
func TestRealLiveBroken(t *testing.T) {
	t.Parallel()
	const noop = "#!/bin/sh\ncat >/dev/null\n"
	for name, c := range map[string]struct {
		spoil            func(t *testing.T, dir string)
		guard, ask, stop bool
	}{
		"guard missing": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "bin", "hook-pre-tool-use")); err != nil {
				t.Fatal(err)
			}
		}, false, false, true},
		"guard does nothing": {func(t *testing.T, dir string) { replace(t, dir, "hook-pre-tool-use", noop) }, false, false, true},
		"guard crashes":      {func(t *testing.T, dir string) { replace(t, dir, "hook-pre-tool-use", "#!/bin/sh\nexit 1\n") }, false, false, true},
		"stop does nothing":  {func(t *testing.T, dir string) { replace(t, dir, "hook-stop", noop) }, true, true, false},
	} {
		for client, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
			if client == "oldest" && name != "guard missing" {
				continue
			}
			t.Run(name+"/"+client, func(t *testing.T) {
				t.Parallel()
				dir := faulty(t)
				c.spoil(t, dir)
				found := tryOn(t, version, dir)
				if found.Guard.Proved != c.guard || found.Ask.Proved != c.ask || found.Stop.Proved != c.stop {
					t.Errorf("the trial finds %+v", found)
				}
			})
		}
	}
}
