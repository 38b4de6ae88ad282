package issuework

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
)

// TestErrandHangs checks that a tool that hangs is ended at the time limit of its errand,
// and that the result names the errand.
func TestErrandHangs(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"git", "tissue"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	usual := maps.Clone(errandFor)
	t.Cleanup(func() { errandFor = usual })
	h := &Handler{issues: config.Issues{Tracker: "tissue"}}
	for _, phase := range []loop.Phase{loop.Picking, loop.Preparing, loop.Sealing, loop.Landing, loop.Rebasing,
		loop.Closing, loop.Cleaning} {
		t.Run(string(phase), func(t *testing.T) {
			errandFor[phase] = 300 * time.Millisecond
			repo := t.TempDir()
			is := loop.Issue{Repo: repo, ID: "a1", Commit: strings.Repeat("a", 40),
				Place: loop.Place{Path: repo, Branch: "afar/issue/a1", Base: "main"}}
			ctx, cancel := context.WithTimeout(t.Context(), errandFor[phase])
			defer cancel()
			began := time.Now()
			r := h.errand(ctx, core.Errand{Session: "s",
				Errand: loop.Errand{Frame: "f", Step: 1, Phase: phase, Issue: is}})
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
			if !strings.Contains(r.Broken, string(phase)+" took more than 300ms") {
				t.Errorf("%+v", r)
			}
		})
	}
}
