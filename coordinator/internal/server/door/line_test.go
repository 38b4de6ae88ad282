//go:build unix

package door

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
)

// TestNoHookDecides checks that a decision by the process of one of our hooks is refused,
// because another program has replaced the hook.
func TestNoHookDecides(t *testing.T) {
	r := newOwnRig(t)
	r.cfg.Callers.Bin = t.TempDir()
	asking := r.cfg.Callers
	c := &Call{door: r, op: "x", Line: asking.Line(sleeper(t, filepath.Join(asking.Bin, "hook-x")))}
	if err := c.allow(Operation{Access: Person}); peer.Supported && !errors.Is(err, ErrDenied) {
		t.Errorf("have %v", err)
	}
}

// sleeper runs a waiting program at a path until the test ends.
func sleeper(t *testing.T, path string) (pid int) {
	t.Helper()
	raw, err := os.ReadFile("/bin/sleep")
	if err == nil {
		err = os.WriteFile(path, raw, 0o700)
	}
	if err != nil {
		t.Skip(err)
	}
	p, err := os.StartProcess(path, []string{path, "600"}, &os.ProcAttr{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = p.Kill(); _, _ = p.Wait() })
	return p.Pid
}
