//go:build unix

package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/stray"
)

// demoFor is how long a demo that answers by itself may take.
const demoFor = time.Minute

// TestRealDemo has every supported client play the session of the demo, which answers by itself and
// fails if an act did not happen as told. Nothing is left of it.
func TestRealDemo(t *testing.T) {
	t.Parallel()
	for name, version := range allClients {
		t.Run(name, func(t *testing.T) {
			client := host.Need(t, version)
			home, temp := t.TempDir(), t.TempDir()
			demo := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "afar"), "demo", "--yes")
			demo.Env = []string{"HOME=" + home, "TMPDIR=" + temp, "PATH=" + filepath.Dir(client) + ":" + os.Getenv("PATH")}
			began := time.Now()
			out, err := demo.CombinedOutput()
			if took := time.Since(began); err != nil || took > demoFor {
				t.Errorf("it ended after %s with %v; it shows\n%s", took, err, out)
			}
			wants(t, string(out), "Claude Code "+version+" plays the session", "done (proven)", "2 files restored", "3 allowed")
			for _, dir := range []string{home, temp} {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("it left %v in %s, %v", left, dir, err)
				}
			}
			if err := stray.Check(temp); err != nil {
				t.Error(err)
			}
		})
	}
}
