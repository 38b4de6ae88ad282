//go:build unix

package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestServeTakesOver: serve waits for the lock of a coordinator that was just killed.
func TestServeTakesOver(t *testing.T) {
	s, asking := newShell(t), newShell(t)
	asking.env, asking.bin = s.env, s.bin
	if err := s.dirs().MakeRun(); err != nil {
		t.Fatal(err)
	}
	life, err := home.TryLock(s.dirs().LifeLock())
	if err != nil || life == nil {
		t.Fatalf("take the life lock: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	code := make(chan int, 1)
	go func() { code <- s.runIn(ctx, "serve") }()
	select {
	case got := <-code:
		t.Fatalf("serve gave up with %d: %s", got, &s.stderr)
	case <-time.After(10 * retryEvery):
	}
	life.Release()
	for limit := time.Now().Add(patience); asking.run("call", "status") != 0; time.Sleep(retryEvery) {
		if time.Now().After(limit) {
			t.Fatalf("nobody serves: %s", &asking.stderr)
		}
	}
	second := newShell(t)
	second.env, second.bin = s.env, s.bin
	if got := second.run("serve"); got != exitFailed ||
		!strings.Contains(second.stderr.String(), "already running (pid ") {
		t.Errorf("a second serve: exit %d: %s", got, &second.stderr)
	}
	cancel()
	if got := <-code; got != 0 {
		t.Errorf("exit %d: %s", got, &s.stderr)
	}
}
