//go:build unix

package e2e

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/stray"
)

// demoFor is how long a demo that answers by itself may take.
const demoFor = time.Minute

// A demoRun is one demo in a home of its own, with a real client.
type demoRun struct {
	t          *testing.T
	cmd        *exec.Cmd
	home, temp string
	out        bytes.Buffer
}

func newDemo(t *testing.T, client string) *demoRun {
	d := &demoRun{t: t, home: t.TempDir(), temp: t.TempDir()}
	d.cmd = exec.CommandContext(t.Context(), filepath.Join(root, "bin", "afar"), "demo", "--yes")
	d.cmd.Env = []string{"HOME=" + d.home, "TMPDIR=" + d.temp, "PATH=" + filepath.Dir(client) + ":" + os.Getenv("PATH")}
	return d
}

// leavesNothing wants that no file and no process is left.
func (d *demoRun) leavesNothing() {
	d.t.Helper()
	for _, dir := range []string{d.home, d.temp} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			d.t.Errorf("it left %v in %s, %v", left, dir, err)
		}
	}
	if err := stray.Check(d.temp); err != nil {
		d.t.Error(err)
	}
	envs, _ := filepath.Glob("/proc/[0-9]*/environ") // none where there is no /proc
	for _, path := range envs {
		if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(d.temp)) {
			d.t.Errorf("the process of %s is left", path)
		}
	}
}

// TestRealDemo has every supported client play the session of the demo, which answers by itself and
// fails if an act did not happen as told.
func TestRealDemo(t *testing.T) {
	t.Parallel()
	for name, version := range allClients {
		t.Run(name, func(t *testing.T) {
			d := newDemo(t, host.NeedLong(t, version))
			began := time.Now()
			out, err := d.cmd.CombinedOutput()
			if took := time.Since(began); err != nil || took > demoFor {
				t.Errorf("it ended after %s with %v; it shows\n%s", took, err, out)
			}
			wants(t, string(out), "Claude Code "+version+" plays the session", "done (proven)", "2 files restored",
				"3 allowed")
			d.leavesNothing()
		})
	}
}

// TestRealDemoInterrupted interrupts the demo while the client starts, and in the middle.
func TestRealDemoInterrupted(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, at := range map[string]string{"start": "1/8", "middle": "5/8"} {
		t.Run(name, func(t *testing.T) {
			d := newDemo(t, host.Need(t, host.Current))
			shown, err := d.cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := d.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(io.TeeReader(shown, &d.out)); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), at) {
					_ = d.cmd.Process.Signal(os.Interrupt) // its end is looked at below
				}
			}
			if err := d.cmd.Wait(); d.cmd.ProcessState.ExitCode() != 130 {
				t.Errorf("it ended with %v, want exit code 130; it shows\n%s", err, d.out.String())
			}
			d.leavesNothing()
		})
	}
}
