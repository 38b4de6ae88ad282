package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// presentFor is how long a coordinator may live without its home.
const presentFor = time.Minute

// TestPresence takes away what a coordinator needs. The coordinator ends by itself, logs
// why, and does not touch the files of a successor.
func TestPresence(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	type trial struct {
		take  func(n *nest) error
		says  string
		nest  *nest
		ended <-chan struct{}
	}
	all := map[string]*trial{
		"home deleted":  {take: deleteHome},
		"home moved":    {take: moveHome, says: "its lock file is gone"},
		"home replaced": {take: replaceHome, says: "another file has taken the place of its lock file"},
		"socket deleted": {
			take: func(n *nest) error { return os.Remove(n.dirs.Socket()) }, says: "its socket is gone",
		},
		"database replaced": {take: replaceDatabase, says: "another file has taken the place of its database"},
		"programs uninstalled": {
			take: func(n *nest) error { return os.Remove(n.bin) }, says: "its program is gone",
		},
	}
	for name, c := range all { // all wait at once: each needs 40 seconds, and no processor
		c.nest = newNest(t)
		c.nest.bin = copyProgram(t, c.nest.bin)
		c.ended = c.nest.served()
		if err := c.take(c.nest); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	late := time.After(presentFor)
	for name, c := range all {
		select {
		case <-c.ended:
		case <-late:
			t.Fatalf("%s: it still lives after %s", name, presentFor)
		}
		t.Run(name, func(t *testing.T) {
			c.nest.t = t
			c.nest.saidLast(c.says)
		})
	}
}

// deleteHome deletes the home, also if the coordinator writes into it meanwhile.
func deleteHome(n *nest) (err error) {
	for range 20 {
		if err = os.RemoveAll(n.dirs.Root); err == nil {
			return nil
		}
	}
	return err
}

// served starts a coordinator and waits until it answers. It returns a channel that is
// closed when the coordinator ends.
func (n *nest) served() <-chan struct{} {
	n.t.Helper()
	cmd := n.serve()
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	n.t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	n.answers(0, cmd.Process.Pid)
	return ended
}

// saidLast checks the end of the log, which the test may have moved.
func (n *nest) saidLast(want string) {
	n.t.Helper()
	if want == "" {
		return // the log is gone, too
	}
	logs, _ := filepath.Glob(filepath.Join(filepath.Dir(n.dirs.Root), "*", "state", "log", "coordinator.log"))
	for _, path := range logs {
		if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), want) {
			return
		}
	}
	n.t.Errorf("no log of %q says %q", logs, want)
}

func moveHome(n *nest) error { return os.Rename(n.dirs.Root, n.dirs.Root+"-moved") }

// replaceHome starts a successor in the same place. Its socket and its database must still
// exist after the first coordinator has ended.
func replaceHome(n *nest) error {
	if err := moveHome(n); err != nil {
		return err
	}
	second := n.served()
	n.t.Cleanup(func() {
		select {
		case <-second:
			n.t.Error("the successor has ended, too")
		default:
		}
		line, err := n.client().Call(wire.Request{V: wire.Version, Op: string(wire.OpStatus)}, time.Now().Add(patience))
		if err != nil {
			n.t.Errorf("the successor does not answer: %v %s", err, line)
		}
	})
	return nil
}

func replaceDatabase(n *nest) error {
	if err := os.Rename(n.dirs.Database(), n.dirs.Database()+".old"); err != nil {
		return err
	}
	return os.WriteFile(n.dirs.Database(), nil, 0o600)
}

// copyProgram returns a copy of a program that a test may remove.
func copyProgram(t *testing.T, program string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "afar")
	if out, err := exec.Command("cp", program, to).CombinedOutput(); err != nil {
		t.Fatalf("copy the program: %v %s", err, out)
	}
	return to
}
