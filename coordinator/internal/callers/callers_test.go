package callers

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// nobody is a state without sessions and clients.
type nobody struct{}

func (nobody) Session(string) (v session.Session, err error) { return v, errors.New("unknown") }
func (nobody) OfClient(int) (v session.Session, known bool)  { return v, false }
func (nobody) IsClient(int) bool                             { return false }
func (nobody) WasUnmarked(session.Process) bool              { return false }
func (nobody) IsRunner(session.Process) bool                 { return false }

func TestIsHook(t *testing.T) {
	for _, c := range []struct {
		exe, bin string
		want     bool
	}{
		{"/b/hook-stop", "/b", true}, {"/b/hook-", "/b", true}, {"/b/afar", "/b", false},
		{"/b/x/hook-stop", "/b", false},
		{"/c/hook-stop", "/b", false}, {"", "/b", false}, {"/b", "/b", false}, {"/bb/hook-stop", "/b", false},
		{"/h/plugins/cache/afar/afar/1.0.0/bin/hook-stop", "/h/plugins/cache/afar/afar/1.1.0/bin", true},
		{"/h/plugins/cache/evil/afar/1.0.0/bin/hook-stop", "/h/plugins/cache/afar/afar/1.1.0/bin", false},
		{"/e/plugins/cache/afar/afar/1.0.0/bin/hook-stop", "/h/plugins/cache/afar/afar/1.1.0/bin", false},
		{"/h/plugins/cache/afar/afar/1.0.0/bin/afar", "/h/plugins/cache/afar/afar/1.1.0/bin", false},
		{"/x/1/bin/hook-stop", "/x/2/bin", false},
	} {
		if got := (&Register{Bin: c.bin}).IsHook(c.exe); got != c.want {
			t.Errorf("%s for %s: %t", c.exe, c.bin, got)
		}
	}
}

// TestSpeaksOfNobody checks that a hook without a client, and an unknown process, speak for no session.
func TestSpeaksOfNobody(t *testing.T) {
	r := &Register{Known: nobody{}, Bin: "/b"}
	if r.speaksFor(peer.Process{}, nil, "s", 0) {
		t.Error("a hook that nobody runs speaks for a session")
	}
	if line, _, ok := r.Speaks(nil, "s", 0); ok || len(line) > 0 {
		t.Errorf("an unknown process speaks for a session: %v", line)
	}
}

// TestEndedHook: a hook that ends while it is looked up has no line, so nobody calls that an attempt from
// inside a session.
func TestEndedHook(t *testing.T) {
	if !peer.Supported {
		t.Skip("this system does not say which process is calling")
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	r := &Register{Known: nobody{}, Bin: "/b"}
	hook := peer.Process{PID: ended.Process.Pid, Exe: "/b/hook-stop"}
	if line, _, ok := r.Speaks(append([]peer.Process{hook}, r.remember(os.Getpid())...), "s-1", 1); ok || len(line) > 0 {
		t.Errorf("it speaks: %t, from %v", ok, line)
	}
}
