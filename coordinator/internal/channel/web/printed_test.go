package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
)

// TestPrinted: the output of a command is kept for its time. A page does not wait for a new
// one unless it asks for that, and is told when it is there.
func TestPrinted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs, changes atomic.Int32
		p := printed{fresh: time.Minute, changed: func() { changes.Add(1) }}
		p.run = func(context.Context, ...string) ([]byte, error) {
			n := runs.Add(1)
			time.Sleep(time.Second)
			return fmt.Appendf(nil, `{"n": %d}`, n), errors.New("exit status 1")
		}
		var got struct{ N int }
		if err := p.read(&got); err != nil || got.N != 0 {
			t.Fatalf("before the first output: %+v, %v", got, err)
		}
		time.Sleep(2 * time.Second)
		if err := p.read(&got); err != nil || got.N != 1 || changes.Load() != 1 {
			t.Fatalf("after it: %+v, %v, told %d times", got, err, changes.Load())
		}
		time.Sleep(2 * time.Minute)
		if err := p.read(&got); err != nil || got.N != 1 {
			t.Fatalf("while an old one is replaced: %+v, %v", got, err)
		}
		time.Sleep(2 * time.Second)
		if err := p.read(&got); err != nil || got.N != 2 || runs.Load() != 2 {
			t.Fatalf("after that: %+v, %v, run %d times", got, err, runs.Load())
		}
	})
}

// TestIssuesOf: a project's issues are what the command line prints there, or why it prints
// none.
func TestIssuesOf(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nif [ -e broken ]; then echo 'afar: gh is not signed in' >&2; exit 1; fi\n" +
		`[ "$*" = "issue list --json" ] && echo '{"tracker":"files","top":"/src","issues":[{"id":"a1","title":"x"}]}'` +
		"\n"
	afar := filepath.Join(dir, "afar")
	if err := os.WriteFile(afar, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &Channel{
		cfg:    Config{Afar: afar, Home: dir, Env: []string{"PATH=/usr/bin:/bin"}, Log: slog.New(slog.DiscardHandler)},
		issues: map[string]*printed{},
	}
	var got page.IssueList
	if got = c.issuesOf(dir); got.Trouble != "" || len(got.Issues.Issues) != 1 || got.Top != "/src" {
		t.Errorf("issues %+v", got)
	}
	sick := t.TempDir()
	if err := os.WriteFile(filepath.Join(sick, "broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got = c.issuesOf(sick); got.Trouble != "gh is not signed in" || got.Top != sick {
		t.Errorf("trouble %+v", got)
	}
}
