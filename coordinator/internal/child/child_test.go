//go:build unix

package child

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// ownerVar is the variable with a shell script that this program then runs. With
// outlivesVar, the script outlives the program.
const ownerVar, outlivesVar = "CHILD_TEST_OWNER", "CHILD_TEST_OUTLIVES"

func TestMain(m *testing.M) {
	if script := os.Getenv(ownerVar); script != "" {
		p := sh(script)
		p.Outlives = os.Getenv(outlivesVar) != ""
		out, err := p.Run(context.Background())
		fmt.Println(string(out.Text), err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// errorText returns the text of err, "" for nil.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// sh returns a program that runs a shell script.
func sh(script string, args ...string) Program {
	return Program{
		Path:  "/bin/sh",
		Args:  append([]string{"-c", script, "sh"}, args...),
		Limit: time.Minute,
		Grace: time.Second,
		Most:  1000,
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		p    Program
		out  string
		said string
		err  string
	}{
		{"prints", sh(`echo one; echo two >&2`), "one\n", "two\n", ""},
		{"reads its input to the end", Program{Path: "/bin/cat", In: "in"}, "in", "", ""},
		{"fails", sh(`echo half; echo why >&2; exit 3`), "half\n", "why\n", "exit status 3"},
		{"dies", sh(`kill -9 $$`), "", "", "signal: killed"},
		{
			"is not there",
			Program{Path: dir + "/none"},
			"",
			"",
			"start: exec: \"" + dir + "/none\": stat " + dir + "/none: no such file or directory",
		},
		{
			"is in its place",
			Program{Path: "env", Dir: dir, Env: []string{"PWD=/", "X=x"}},
			"X=x\nPWD=" + dir + "\n",
			"",
			"",
		},
		{
			"has files",
			Program{
				Path:     "/bin/sh",
				Args:     []string{"-c", "cat <&3"},
				Files:    []*os.File{file(t, "held")},
				Outlives: true,
			},
			"held",
			"",
			"",
		},
		{"says what is no text", sh(`printf 'a\377b' >&2; exit 1`), "", "a\uFFFDb", "exit status 1"},
		{
			"takes too long",
			Program{Path: "/bin/sleep", Args: []string{"60"}, Limit: 50 * time.Millisecond},
			"",
			"",
			"no answer within 50ms",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.p.Limit == 0 {
				c.p.Limit = time.Minute
			}
			c.p.Grace, c.p.Most = time.Second, 1000
			out, err := c.p.Run(t.Context())
			if string(out.Text) != c.out || out.Said != c.said || out.Cut || errorText(err) != c.err {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func file(t *testing.T, text string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestOutputWithoutEnd checks that a program that prints without end is ended. The
// beginning of its output is kept, and the end of its messages.
func TestOutputWithoutEnd(t *testing.T) {
	p := sh(`while :; do echo x; done`)
	p.Limit = 30 * time.Second
	begun := time.Now()
	out, err := p.Run(t.Context())
	if err != nil || !out.Cut || time.Since(begun) > p.Limit/2 || string(out.Text) != strings.Repeat("x\n", 500) {
		t.Errorf("cut %v, %d bytes, %v", out.Cut, len(out.Text), err)
	}
	p = sh(`printf %1000s x; head -c 3000000 /dev/zero | tr '\0' a >&2; printf end >&2`)
	out, err = p.Run(t.Context())
	if err != nil || out.Cut || len(out.Text) != 1000 || len(out.Said) != maxSaid ||
		!strings.HasSuffix(out.Said, "aend") {
		t.Errorf("cut %v, %d bytes, %d said, %v", out.Cut, len(out.Text), len(out.Said), err)
	}
}

// TestNoTerminal checks that a program has no access to the terminal of this process.
func TestNoTerminal(t *testing.T) {
	tty, err := pty.Start(owner(t, `(: </dev/tty) 2>/dev/null && echo a terminal || echo none`))
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	if line, err := bufio.NewReader(tty).ReadString('\n'); strings.TrimSpace(line) != "none" {
		t.Errorf("%q, %v", line, err)
	}
}

// TestEndsWhole checks that a program that is told to end may clean up, that one that
// ignores this is killed after its grace, and that its children end with it.
func TestEndsWhole(t *testing.T) {
	const deaf = `(trap '' TERM; sh -c 'echo $PPID' >>pids; while :; do sleep 60; done) >/dev/null 2>&1 & `
	for _, c := range []struct {
		name, script string
		cancel       bool
		out, err     string
		outlives     bool
	}{
		{
			"it cleans up",
			`trap 'echo clean; exit 0' TERM; echo ready >>pids; while :; do sleep 0.01; done`,
			true,
			"clean\n",
			"context canceled",
			false,
		},
		{"it is deaf", `trap '' TERM; echo $$ >>pids; while :; do sleep 60; done`, true, "", "context canceled", false},
		{"its child is deaf", deaf + `wait`, true, "", "context canceled", false},
		{"its child is deaf, and it may outlive us", deaf + `wait`, true, "", "context canceled", true},
		{
			"its child stays",
			deaf + `while ! [ -s pids ]; do sleep 0.01; done; echo done`,
			false,
			"done\n",
			"<nil>",
			false,
		},
		{
			"its child stays after a failure",
			deaf + `while ! [ -s pids ]; do sleep 0.01; done; exit 1`,
			false,
			"",
			"exit status 1",
			false,
		},
		{"its child holds its output", `sleep 60 & echo $! >>pids; echo done`, false, "done\n", "<nil>", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := sh(c.script)
			p.Dir, p.Grace, p.Outlives = t.TempDir(), 300*time.Millisecond, c.outlives
			if c.cancel && c.out != "" { // it ends long before
				p.Grace = time.Minute
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				go func() { wrote(t, p.Dir); cancel() }()
			}
			begun := time.Now()
			out, err := p.Run(ctx)
			if string(out.Text) != c.out || fmt.Sprint(err) != c.err || time.Since(begun) > 20*time.Second {
				t.Errorf("after %s: %q, %v", time.Since(begun), out.Text, err)
			}
			gone(t, wrote(t, p.Dir))
		})
	}
}

// TestGraceOfAll checks that the children of a program may clean up too, even if the
// program itself has already ended.
func TestGraceOfAll(t *testing.T) {
	p := sh(`(trap 'sleep 0.1; echo clean; exit' TERM; echo >pids
		while :; do sleep 0.01; done) >cleaned 2>/dev/null & wait`)
	p.Dir, p.Grace = t.TempDir(), 20*time.Second
	ctx, cancel := context.WithCancel(t.Context())
	go func() { wrote(t, p.Dir); cancel() }()
	begun := time.Now()
	_, err := p.Run(ctx)
	text, _ := os.ReadFile(filepath.Join(p.Dir, "cleaned"))
	if string(text) != "clean\n" || time.Since(begun) > p.Grace/2 {
		t.Errorf("after %s: %q, %v", time.Since(begun), text, err)
	}
}

// TestOutlives checks that the children of a program with Outlives go on if it ends by
// itself.
func TestOutlives(t *testing.T) {
	p := sh(`sleep 60 >/dev/null 2>&1 & echo $! >pids; echo done`)
	p.Dir, p.Outlives = t.TempDir(), true
	if out, err := p.Run(t.Context()); err != nil || string(out.Text) != "done\n" {
		t.Fatalf("%q, %v", out.Text, err)
	}
	for _, pid := range wrote(t, p.Dir) {
		if !runs(pid) {
			t.Error("what it left is gone")
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestOurDeath checks that a program ends with its children if this process is killed. A
// program with Outlives goes on to its end.
func TestOurDeath(t *testing.T) {
	const script = `trap '' TERM HUP PIPE; sleep 60 & echo $$ $! >pids
		while ! [ -e go ]; do sleep 0.01; done; echo came to its end >ended`
	for name, outlives := range map[string]string{"ends with us": "", "outlives us": "1"} {
		t.Run(name, func(t *testing.T) {
			cmd := owner(t, script)
			cmd.Env = append(cmd.Env, outlivesVar+"="+outlives)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pids := wrote(t, cmd.Dir)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if outlives == "" {
				gone(t, pids)
				return
			}
			if err := os.WriteFile(filepath.Join(cmd.Dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			eventually(t, "it did not come to its end", func() bool {
				text, _ := os.ReadFile(filepath.Join(cmd.Dir, "ended"))
				return len(text) > 0
			})
			_ = syscall.Kill(pids[1], syscall.SIGKILL)
		})
	}
}

// owner starts a process that runs a script as its program.
func owner(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), ownerVar+"="+script)
	return cmd
}

// wrote waits until a script has written its process ids, and returns them.
func wrote(t *testing.T, dir string) (pids []int) {
	t.Helper()
	var text []byte
	eventually(t, "the program does not start", func() bool {
		text, _ = os.ReadFile(filepath.Join(dir, "pids"))
		return bytes.HasSuffix(text, []byte("\n"))
	})
	for _, f := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(f); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func gone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d still runs", pid), func() bool { return !runs(pid) })
		if t.Failed() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func runs(pid int) bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return len(state) > 0 && state[0] != 'Z' // a zombie has ended
}

func eventually(t *testing.T, otherwise string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			t.Error(otherwise)
			return
		}
	}
}

// TestBirthmark: a program has a birthmark and hands it on to what cuts itself off.
func TestBirthmark(t *testing.T) {
	if level, _ := birthmark.Of(os.Getpid()); !birthmark.Supported || level != birthmark.None {
		t.Skip("this system has no birthmark, or this process has one")
	}
	script := `setsid env -i bash -c 'ulimit -H -x'`
	consulted, outlives := sh(script), sh(script)
	consulted.Level, outlives.Outlives = birthmark.Consulted, true
	for name, c := range map[string]struct {
		p    Program
		want string
	}{
		"a program":               {sh(script), "7357358\n"},
		"a program that outlives": {outlives, "7357358\n"},
		"a consulted model":       {consulted, "7357356\n"},
	} {
		if out, err := c.p.Run(context.Background()); string(out.Text) != c.want || err != nil {
			t.Errorf("%s: %q (%v), want %q", name, out.Text, err, c.want)
		}
	}
}
