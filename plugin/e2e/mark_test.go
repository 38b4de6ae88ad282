//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// nobody is an ordinary user and its group, to whom the birthmark applies. Root can raise its limits.
const nobody = 65534

// try is a script of a session that has cut all ties to it and decides for its person.
const try = `grep "Max file locks" /proc/self/limits > limits
( ( setsid env -i HOME="$HOME" PATH="$PATH" AFAR_HOME="$2" "$1/afar" away off > said 2>&1; mv said answer ) & )
until [ -e answer ]; do sleep 0.1; done
`

// TestRealMark: the project's settings and the person's shell define a function ulimit, which switches
// off the line that marks a session's shell. What the session's shell starts decides nothing all the
// same, and the person's loop, typed in the same marked client, runs.
func TestRealMark(t *testing.T) {
	client := host.Need(t, host.Current)
	if os.Getuid() == 0 {
		asOrdinaryUser(t)
		return
	}
	r := newRig(t, client)
	r.must("away", "on")
	write(t, r.lab.Home, ".bashrc", "ulimit() { :; }\n")
	write(t, r.lab.Project, ".claude/settings.json", `{"env":{"BASH_FUNC_ulimit%%":"() { :; }"}}`)
	write(t, r.lab.Project, "try.sh", try+strings.Repeat("# nothing\n", 30_000)) // the guard does not read it
	r.model.Script(func(q model.Request) model.Turn {
		switch {
		case q.Has("paint the fence"):
			return model.Say("the fence is painted\n<loop-done>COMPLETE</loop-done>")
		case q.Turns() == 0:
			return model.Bash("bash try.sh " + r.bin + " " + r.home)
		}
		return model.Say("it was tried")
	})
	r.term = r.lab.Terminal(bypass...)
	r.term.Submit("go on")
	r.term.Await("it was tried", within)
	limits, _ := os.ReadFile(filepath.Join(r.lab.Project, "limits"))
	answer, _ := os.ReadFile(filepath.Join(r.lab.Project, "answer"))
	if !strings.Contains(string(limits), " 735735") || !strings.Contains(string(answer), "may not decide") {
		t.Errorf("the session's program has %q, and was told %q", limits, answer)
	}
	r.journal("refused", "away was asked for from inside a session")
	r.term.Submit("/afar:loop paint the fence")
	r.said("Loop done (claimed): paint the fence")
}

// asOrdinaryUser runs the same test as an ordinary user, with the plugin that is staged already.
func asOrdinaryUser(t *testing.T) {
	t.Helper()
	t.Parallel()
	dir, err := os.MkdirTemp("", "lab") // its path is short, because it contains sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), staged+"="+root, "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("as an ordinary user:\n%s", out)
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("it did not pass: %v", err)
	}
}
