//go:build unix

package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestNoStorm: if many callers wait for a coordinator that never answers, only one of them
// starts it, once a second.
func TestNoStorm(t *testing.T) {
	c := newClient(t)
	c.Bin = t.TempDir()
	starts := filepath.Join(c.Bin, "starts")
	script := "#!/bin/sh\necho start >> '" + starts + "'\n"
	if err := os.WriteFile(filepath.Join(c.Bin, "afar"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	const callers, lasting = 40, 2500 * time.Millisecond
	deadline := time.Now().Add(lasting)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			if _, err := c.CallStarting(wire.Request{V: wire.Version, Op: string(wire.OpStatus)}, deadline); err == nil {
				t.Error("somebody answered")
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(starts)
	if err != nil {
		t.Fatal(err)
	}
	// Callers that reach the deadline leave the lock to others, which also reach it soon.
	if n := strings.Count(string(raw), "\n"); n < 2 || n > 8 {
		t.Errorf("%d callers started it %d times in %v", callers, n, lasting)
	}
}
