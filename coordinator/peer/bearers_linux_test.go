package peer_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/peer"
)

// TestBearers finds a process with a birthmark, and not one without.
func TestBearers(t *testing.T) {
	cmd := exec.Command("cat")
	birthmark.Mark(cmd, birthmark.Shell)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	_, _ = in.Write([]byte("x"))
	_, _ = out.Read(make([]byte, 1)) // it has become cat
	has := func(pid int) bool {
		return slices.ContainsFunc(peer.Bearers(), func(p peer.Process) bool { return p.PID == pid })
	}
	if !has(cmd.Process.Pid) || has(os.Getpid()) {
		t.Errorf("the marked one: %t, this one: %t", has(cmd.Process.Pid), has(os.Getpid()))
	}
}
