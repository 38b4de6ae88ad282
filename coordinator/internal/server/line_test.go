//go:build unix

package server

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/peer"
)

// TestLine: what a client descends from is looked up once for its hooks, never for
// another caller, and no refusal is founded on what is remembered.
func TestLine(t *testing.T) {
	r := newOwnRig(t)
	r.cfg.Bin = t.TempDir()
	hookPID, ownPID := sleeper(t, filepath.Join(r.cfg.Bin, "hook-x")), sleeper(t, filepath.Join(r.cfg.Bin, "afar"))
	fresh := peer.Line(hookPID)
	if len(fresh) < 2 || fresh[0].Started == 0 {
		t.Skip("this system does not tell enough of a process")
	}
	if r.line(ownPID); len(r.from) != 0 {
		t.Errorf("remembered of the command line: %v", r.from)
	}
	if got := r.line(hookPID); !reflect.DeepEqual(got, fresh) {
		t.Errorf("have %v, want %v", got, fresh)
	}
	name := nameOf(fresh[1])
	if got := r.from[name]; !reflect.DeepEqual(got, fresh[2:len(fresh):len(fresh)]) {
		t.Errorf("remembered %v", got)
	}
	over := []peer.Process{{PID: 1 << 30, Marked: true}}
	r.from[name] = over
	c := &call{line: r.line(hookPID)}
	if !reflect.DeepEqual(c.line[2:], over) {
		t.Fatalf("what is remembered is not used: %v", c.line)
	}
	if err := r.allowFor(c, "s", 1); r.inSession(fresh[1:]) == "" && err != nil {
		t.Errorf("refused for what is over: %v", err)
	}
	if len(r.from) != 0 || r.forget(c.line) {
		t.Errorf("still remembered: %v", r.from)
	}
}

// sleeper runs a program that waits, at a path, until the test ends.
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
