package coordinator

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestAbandon: a coordinator that was told to end is abandoned if one of its parts goes on.
func TestAbandon(t *testing.T) {
	t.Parallel()
	c := open(t)
	abandoned, over := make(chan struct{}), make(chan struct{})
	c.cfg.Abandon = func() { close(abandoned) }
	stuck := make(chan struct{})
	c.runs = append(c.runs, func(context.Context) { <-stuck })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { defer close(over); _ = c.Run(ctx) }()
	cancel()
	select {
	case <-abandoned:
	case <-time.After(2 * leaveFor):
		t.Error("it waits for the part")
	}
	close(stuck)
	<-over
}

// TestAbandonOver: a process that has closed its coordinator goes on.
func TestAbandonOver(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.cfg.Abandon = func() {}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(c.Run(ctx), c.Close()); err != nil {
		t.Fatal(err)
	}
	if c.leaving == nil || c.leaving.Stop() {
		t.Error("it will be abandoned after it was closed")
	}
}
