package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stopping runs `afar stop` with a coordinator that has the request but has not ended.
func stopping(t *testing.T, s *shell) (c *standIn, life *home.Lock, code chan int) {
	t.Helper()
	told := make(chan struct{})
	c = s.serve().says(wire.OpStatus, wire.StatusReply{Coordinator: wire.Coordinator{PID: 42}}).
		on(wire.OpShutdown, func(json.RawMessage) wire.Reply {
			close(told)
			return wire.Reply{V: 1, Body: wire.Raw(`{}`)}
		})
	life, err := home.TryLock(s.dirs().LifeLock())
	if err != nil || life == nil {
		t.Fatalf("take the life lock: %v", err)
	}
	t.Cleanup(life.Release)
	code = make(chan int, 1)
	go func() { code <- s.run("stop") }()
	<-told
	select {
	case got := <-code:
		t.Fatalf("stop returned with %d while the coordinator lives", got)
	case <-time.After(10 * lookEvery):
	}
	return c, life, code
}

// TestStopWaits: stop returns when the coordinator has released both its socket and its
// lock.
func TestStopWaits(t *testing.T) {
	s := newShell(t)
	_, life, code := stopping(t, s)
	if err := os.Remove(s.dirs().Socket()); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-code:
		t.Fatalf("stop returned with %d while the lock is held", got)
	case <-time.After(10 * lookEvery):
	}
	life.Release()
	if got := <-code; got != 0 || s.stdout.String() != "The coordinator has stopped.\n" {
		t.Errorf("exit %d: %s%s", got, &s.stdout, &s.stderr)
	}
}

// TestStopped: stop says what follows if sessions still run.
func TestStopped(t *testing.T) {
	running := wire.StatusReply{Sessions: []wire.Session{{ID: "a", State: "idle"}, {ID: "b", State: "ended"}}}
	want := "The coordinator has stopped. 1 running session will start it again; to silence it: `afar pause`."
	if got := stopped(running, 0); got != want {
		t.Errorf("have %q", got)
	}
}

// TestStopSeesTheNextOne: stop notices that a session has started the next coordinator.
func TestStopSeesTheNextOne(t *testing.T) {
	s := newShell(t)
	c, _, code := stopping(t, s)
	c.says(wire.OpStatus, wire.StatusReply{Coordinator: wire.Coordinator{PID: 43}})
	if got := <-code; got != 0 || !strings.Contains(s.stdout.String(),
		"a hook that waits has started it again (pid 43)") {
		t.Errorf("exit %d: %s%s", got, &s.stdout, &s.stderr)
	}
}
