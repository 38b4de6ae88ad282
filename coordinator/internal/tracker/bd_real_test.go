package tracker

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestRealBeadsConforms runs bd itself where it is on the machine. Its oldest
// version that speaks this contract is 0.60: before, show has no JSON.
func TestRealBeadsConforms(t *testing.T) {
	if _, err := exec.LookPath("bd"); err != nil || testing.Short() {
		t.Skip("bd is not in PATH: go build github.com/steveyegge/beads/cmd/bd at v1.0.0")
	}
	slow = 1100 * time.Millisecond // bd keeps the second of an issue's making, and no more
	defer func() { slow = 0 }()
	conform(t, func(t *testing.T) Tracker {
		t.Setenv("HOME", t.TempDir())
		top := t.TempDir()
		for _, args := range [][]string{
			{"git", "init", "-q"}, {"git", "config", "user.email", "ann@example.org"}, {"git", "config", "user.name", "Ann"},
			{"bd", "init", "--prefix=acme", "--quiet", "--skip-hooks", "--skip-agents", "--non-interactive"},
		} {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = top, append(os.Environ(), "BD_NON_INTERACTIVE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		found, err := Open(top, "")
		if err != nil || found.Name() != "bd" || InTree(found) {
			t.Fatalf("found %v, %v", found, err)
		}
		return found
	})
}
