//go:build unix

package callers

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
)

// TestLine checks that the ancestors of a client are looked up once for its hooks, never for
// another caller, and that no refusal depends on remembered ancestors.
func TestLine(t *testing.T) {
	r := &Register{Known: nobody{}, Bin: t.TempDir()}
	hookPID, ownPID := sleeper(t, filepath.Join(r.Bin, "hook-x")), sleeper(t, filepath.Join(r.Bin, "afar"))
	fresh := peer.Line(hookPID)
	if hold, err := peer.Take(hookPID); err != nil || len(fresh) < 2 {
		t.Skip("this system does not tell enough of a process")
	} else {
		hold.Release()
	}
	fresh[0].Marked = false // nobody asks
	if r.Line(ownPID); len(r.clients) != 0 {
		t.Errorf("remembered of the command line: %v", r.clients)
	}
	if got := r.Line(hookPID); !reflect.DeepEqual(got, fresh) {
		t.Errorf("have %v, want %v", got, fresh)
	}
	self := os.Getpid()
	if got := r.clients[self].line; !reflect.DeepEqual(got, fresh[1:]) {
		t.Errorf("remembered %v", got)
	}
	over := []peer.Process{fresh[1], {PID: 1 << 30, Marked: true}}
	r.clients[self] = client{r.clients[self].hold, over}
	line := r.Line(hookPID)
	if !reflect.DeepEqual(line[1:], over) {
		t.Fatalf("what is remembered is not used: %v", line)
	}
	if _, where, ok := r.Speaks(line, "s", 1); r.Inside(fresh[1:]) == "" && !ok {
		t.Errorf("refused for what is over: %s", where)
	}
	if len(r.clients) != 0 || r.forget(line) {
		t.Errorf("still remembered: %v", r.clients)
	}
}

// TestLineOfAnother checks that remembered ancestors are dropped when the client ends,
// whichever process gets its id, and that no process is held longer.
func TestLineOfAnother(t *testing.T) {
	r := &Register{Known: nobody{}, Bin: t.TempDir()}
	hookPID := sleeper(t, filepath.Join(r.Bin, "hook-x"))
	fresh := r.Line(hookPID)
	if len(r.clients) != 1 {
		t.Skip("this system does not tell enough of a process")
	}
	gone, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		t.Skip(err)
	}
	hold, err := peer.Take(gone.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = gone.Wait()
	self := os.Getpid()
	r.clients[self].hold.Release()
	r.clients[self] = client{hold, []peer.Process{{PID: self, Marked: true}}}
	open := descriptors(t)
	for range 3 {
		if got := r.Line(hookPID); !reflect.DeepEqual(got, fresh) {
			t.Errorf("have %v, want %v", got, fresh)
		}
	}
	if n := descriptors(t); n != open || len(r.clients) != 1 {
		t.Errorf("%d descriptors, %d before; %d clients", n, open, len(r.clients))
	}
}

// descriptors counts the open files of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(fds)
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
