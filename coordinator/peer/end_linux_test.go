package peer_test

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/peer"
)

// TestAwaitEnd: the end of a process that is not a child wakes who waits for it, and nothing else does.
func TestAwaitEnd(t *testing.T) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	born := peer.Birth(pid)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if !peer.AwaitEnd(ctx, pid, born) {
		t.Skip("this kernel does not tell the end of a process")
	}
	if !peer.Lives(pid, born) {
		t.Fatal("it has ended")
	}
	if !peer.AwaitEnd(t.Context(), pid, "another boot:1") {
		t.Error("a process that is gone is waited for")
	}
	ended := make(chan bool, 1)
	go func() { ended <- peer.AwaitEnd(t.Context(), pid, born) }()
	select {
	case <-ended:
		t.Fatal("it returned while the process lives")
	case <-time.After(50 * time.Millisecond): // the process ends only below
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if !<-ended {
		t.Error("the end was not told")
	}
	if !peer.AwaitEnd(t.Context(), pid, born) {
		t.Error("a process that has ended is waited for")
	}
}
