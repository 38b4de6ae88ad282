//go:build unix

package peer_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/peer"
)

// roles are what this binary does instead of testing, by name.
var roles = map[string]func(){}

// race has the race detector, where there is one, treat this program as it treats the tests.
var race = "GORACE=" + os.Getenv("GORACE")

func TestMain(m *testing.M) {
	if socket := os.Getenv("AFAR_TEST_DIAL"); socket != "" {
		if conn, err := net.Dial("unix", socket); err == nil {
			_, _ = io.Copy(io.Discard, conn) // until the test closes the connection
		}
		return
	}
	if play := roles[os.Getenv("AFAR_TEST_ROLE")]; play != nil {
		play()
		return
	}
	os.Exit(m.Run())
}

// listen returns a listener on a Unix socket. It skips the test on a system that does
// not say which process is calling.
func listen(t *testing.T) *net.UnixListener {
	t.Helper()
	if !peer.Supported {
		t.Skip("this system does not tell who is calling")
	}
	dir, err := os.MkdirTemp("", "afar-peer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// accept waits for the next connection and returns the user and the process at its other
// end. It keeps the connection open until the test ends.
func accept(t *testing.T, l *net.UnixListener) (uid, pid int) {
	t.Helper()
	conn, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	uid, pid, err = peer.Of(conn)
	if err != nil {
		t.Fatal(err)
	}
	return uid, pid
}

func TestSelf(t *testing.T) {
	l := listen(t)
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if uid, pid := accept(t, l); uid != os.Getuid() || pid != os.Getpid() {
		t.Errorf("have user %d, process %d", uid, pid)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := peer.Line(os.Getpid())
	if len(line) < 2 || line[0].PID != os.Getpid() || line[0].Parent != os.Getppid() || line[1].PID != os.Getppid() ||
		line[0].Exe != exe {
		t.Errorf("have %+v", line)
	}
	for i := range len(line) - 1 {
		if line[i].Parent != line[i+1].PID {
			t.Errorf("the line breaks at %d: %+v", i, line)
		}
	}
	if last := line[len(line)-1]; last.PID != 1 && last.Parent != 0 {
		t.Errorf("the line does not reach the first process: %+v", last)
	}
}

// TestChild: Line tells the name, the environment and the terminal of a child.
func TestChild(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "a) R 1 1 (b")
	if err := os.Link(exe, odd); err != nil {
		t.Skip(err) // another file system
	}
	for _, c := range []struct {
		name           string
		env            []string
		terminal, mark bool
	}{
		{"plain", nil, false, false},
		{"at a terminal", nil, true, false},
		{"in a session", []string{"A=1", "CLAUDECODE=1"}, false, true},
		{"with a session's id", []string{"CLAUDE_CODE_SESSION_ID=x"}, false, true},
		{"a child session", []string{"CLAUDE_CODE_CHILD_SESSION=1"}, false, true},
		{"an empty mark does not count", []string{"CLAUDECODE="}, false, false},
		{"a mark in a value does not count", []string{"X=CLAUDECODE=1", "MYCLAUDECODE=1"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listen(t)
			cmd := exec.Command(odd)
			cmd.Env = append([]string{"AFAR_TEST_DIAL=" + l.Addr().String(), race}, c.env...)
			start(t, cmd, c.terminal)
			uid, pid := accept(t, l)
			if uid != os.Getuid() || pid != cmd.Process.Pid {
				t.Fatalf("have user %d, process %d", uid, pid)
			}
			line := peer.Line(pid)
			if len(line) < 2 || line[1].PID != os.Getpid() {
				t.Fatalf("have %+v", line)
			}
			p := line[0]
			if p.Marked != c.mark || p.Exe != odd || p.Terminal != c.terminal {
				t.Errorf("have %+v", p)
			}
		})
	}
}

func start(t *testing.T, cmd *exec.Cmd, terminal bool) {
	t.Helper()
	if terminal {
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tty.Close() })
	} else {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the test may have a terminal; its child has none
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

// TestReplaced: a process keeps the path of its binary after the file was replaced.
func TestReplaced(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "hook-x")
	if err := os.Link(exe, path); err != nil {
		t.Skip(err)
	}
	l := listen(t)
	cmd := exec.Command(path)
	cmd.Env = []string{"AFAR_TEST_DIAL=" + l.Addr().String(), race}
	start(t, cmd, false)
	_, pid := accept(t, l)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if line := peer.Line(pid); len(line) == 0 || runtime.GOOS == "linux" && line[0].Exe != path {
		t.Errorf("have %+v", line)
	}
}

func TestGone(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if line := peer.Line(pid); len(line) != 0 {
			t.Errorf("%d: %+v", pid, line)
		}
	}
	l := listen(t)
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	c, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, _, err := peer.Of(c); err == nil {
		t.Error("a closed connection has no peer")
	}
}

// TestDeep: Line ends after 64 processes.
func TestDeep(t *testing.T) {
	if !peer.Supported {
		t.Skip("this system does not tell who is calling")
	}
	script := `if [ "$1" -gt 0 ]; then sh -c "$0" "$0" $(($1 - 1)); true; else echo $$; read x; fi`
	cmd := exec.Command("sh", "-c", script, script, "80")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd, false)
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("nothing was started")
	}
	pid, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	if line := peer.Line(pid); len(line) != 64 {
		t.Errorf("have %d processes", len(line))
	}
	in.Close()
}

// TestBorn: a process that a session's shell started is known as the session's, even if
// it left the environment and the process group. No other process is.
func TestBorn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no process shows its limits here")
	}
	for script, born := range map[string]bool{
		"":                                 false,
		"ulimit -n 100; ":                  false,
		birthmark.Line:                     true,
		birthmark.Line + "ulimit -H -x 3;": true, // a lower limit
		birthmark.Line + birthmark.Line:    true,
	} {
		cmd := exec.Command("bash", "-c", script+`exec env -i setsid -w bash -c 'echo $$; read -r x'`)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		start(t, cmd, false)
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatalf("%q: nothing was started", script)
		}
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		if got := peer.Born(pid); got != born {
			t.Errorf("%q: %t", script, got)
		}
		in.Close()
	}
	if !peer.Born(1<<30) || peer.Born(os.Getpid()) || peer.Born(1) {
		t.Error("want true for a process that has ended, false for this test and the first process")
	}
}

// TestLives: a process lives until it ends. Another process with the same id does not
// count.
func TestLives(t *testing.T) {
	if !peer.Supported {
		t.Skip("this system does not tell")
	}
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd, false)
	pid := cmd.Process.Pid
	born := peer.Birth(pid)
	if born == "" || born == peer.Birth(1) {
		t.Errorf("it was born at %q, the first process at %q", born, peer.Birth(1))
	}
	for _, c := range []struct {
		pid  int
		born string
		want bool
	}{
		{pid, born, true},
		{pid, "", true},
		{pid, born + "0", false},
		{pid, "another:1", false},
		{os.Getpid(), born, false},
		{0, "", false},
		{-1, "", false},
		{-pid, "", false},
		{1 << 30, "", false},
		{1 << 30, born, false},
	} {
		if got := peer.Lives(c.pid, c.born); got != c.want {
			t.Errorf("%d, born %q: %v", c.pid, c.born, got)
		}
	}
	in.Close()
	for peer.Lives(pid, born) { // it becomes a zombie, which still has its id
		time.Sleep(time.Millisecond)
	}
	if peer.Birth(pid) != "" || peer.Lives(pid, "") {
		t.Error("a process that has ended lives")
	}
}
