package main

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// stopping runs `afar stop` against a coordinator that has been told and still
// lives.
func stopping(t *testing.T, s *shell) (c *standIn, life *home.Lock, code chan int) {
	t.Helper()
	told := make(chan struct{})
	c = s.serve().says(wire.OpStatus, wire.Status{Coordinator: wire.Coordinator{PID: 42}}).
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

// Stopped means that both the socket and the lock are let go.
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
	if got := <-code; got != 0 {
		t.Errorf("exit %d: %s", got, &s.stderr)
	}
}

// A session may have started the next one before anybody looked.
func TestStopSeesTheNextOne(t *testing.T) {
	s := newShell(t)
	c, _, code := stopping(t, s)
	c.says(wire.OpStatus, wire.Status{Coordinator: wire.Coordinator{PID: 43}})
	if got := <-code; got != 0 {
		t.Errorf("exit %d: %s", got, &s.stderr)
	}
}
