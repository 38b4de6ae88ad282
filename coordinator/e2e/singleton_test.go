// Package e2e tests the coordinator as a process of its own: real hooks and a real socket, with
// kills and attacks from outside. It has no other code.
package e2e

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/wire"
)

var rounds = flag.Int("singleton-rounds", 4, "rounds of 50 simultaneous starts")

// afarBinary builds the program once for this package's tests.
var afarBinary = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "bin")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", dir+"/", "github.com/afar-sh/afar/cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as install.sh does
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(dir, "afar"), nil
})

// scratch is a directory that is removed after the tests.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // they wait for processes more than they compute
	var err error
	if scratch, err = os.MkdirTemp("", "afar-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := stray.Check(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// A nest is one home and the coordinators that were started in it.
type nest struct {
	t    testing.TB
	bin  string
	dirs home.Dirs
	env  []string
}

func newNest(t testing.TB) *nest { t.Helper(); return newNestWith(t, os.Getenv("PATH")) }

// newNestWith returns a nest whose programs have the PATH path.
func newNestWith(t testing.TB, path string) *nest {
	t.Helper()
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	bin, err := afarBinary()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	vars := map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar"), "PATH": path,
		"AFAR_WEB_ADDR": "off"}
	dirs, err := home.FromEnv(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
	n := &nest{t: t, bin: bin, dirs: dirs}
	for k, v := range vars {
		n.env = append(n.env, k+"="+v)
	}
	t.Cleanup(func() { awaitEnd(t, vars["AFAR_HOME"]) })
	return n
}

// awaitEnd waits until no coordinator of a home runs. One that was told to end writes to its
// home until then, and the test is about to remove it.
func awaitEnd(t testing.TB, home string) {
	t.Helper()
	if left := stray.Await(home, patience); len(left) > 0 {
		t.Fatalf("processes that do not end: %v", left)
	}
}

func (n *nest) serve() *exec.Cmd {
	cmd := exec.Command(n.bin, "serve")
	cmd.Env = n.env
	return cmd
}

func (n *nest) client() *client.Client {
	return &client.Client{Dirs: n.dirs, Bin: filepath.Dir(n.bin), Env: func() []string { return n.env }}
}

// TestSingleton: of 50 coordinators that start at once, with the stale socket of a killed
// one, exactly one serves, and the others end.
func TestSingleton(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	n := newNest(t)
	staleSocket(t, n.dirs)
	for round := range *rounds {
		last, ended := n.round(round, 50)
		end := syscall.SIGKILL
		if round == *rounds-1 {
			end = syscall.SIGTERM
		}
		if err := last.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		<-ended
		if end == syscall.SIGTERM && !last.ProcessState.Success() {
			t.Errorf("after SIGTERM: %v", last.ProcessState)
		}
	}
	if _, err := os.Stat(n.dirs.Socket()); err == nil {
		t.Error("the socket is still there after a clean end")
	}
}

// staleSocket leaves a socket file without a listener.
func staleSocket(t *testing.T, dirs home.Dirs) {
	t.Helper()
	if err := dirs.Make(); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dirs.Socket(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}

// round starts count coordinators. It returns the one that serves, and a channel that gets a
// value when it ends.
func (n *nest) round(round, count int) (*exec.Cmd, <-chan int) {
	n.t.Helper()
	all := make([]*exec.Cmd, count)
	ended := make(chan int, count)
	for i := range all {
		all[i] = n.serve()
	}
	for i, cmd := range all {
		if err := cmd.Start(); err != nil {
			n.t.Fatal(err)
		}
		go func() { _ = cmd.Wait(); ended <- i }()
	}
	left := map[int]bool{}
	for i := range all {
		left[i] = true
	}
	late := time.After(patience)
	for len(left) > 1 {
		select {
		case i := <-ended:
			delete(left, i)
		case <-late:
			n.t.Fatalf("round %d: %d coordinators live", round, len(left))
		}
	}
	for i := range left {
		n.answers(round, all[i].Process.Pid)
		return all[i], ended
	}
	n.t.Fatalf("round %d: none is left", round)
	return nil, nil
}

// answers checks that the process with this pid serves the socket.
func (n *nest) answers(round, pid int) {
	n.t.Helper()
	var line []byte
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		line, err = n.client().Call(wire.Request{V: wire.Version, Op: string(wire.OpStatus)}, deadline)
		if err == nil {
			break
		}
	}
	if err != nil || !strings.Contains(string(line), fmt.Sprintf(`"pid":%d,`, pid)) {
		n.t.Fatalf("round %d: %d should answer: %v %s", round, pid, err, line)
	}
}

// TestStart: if 20 callers start a coordinator at once, one starts and answers them all,
// and Start itself does not wait.
func TestStart(t *testing.T) {
	t.Parallel()
	n := newNest(t)
	var callers sync.WaitGroup
	pids := make(chan string, 20)
	for range 20 {
		callers.Go(func() {
			line, err := n.client().CallStarting(wire.Request{V: wire.Version, Op: string(wire.OpStatus)},
				time.Now().Add(patience))
			if err != nil {
				t.Error(err)
				return
			}
			_, rest, _ := strings.Cut(string(line), `"pid":`)
			pid, _, _ := strings.Cut(rest, ",")
			pids <- pid
		})
	}
	callers.Wait()
	close(pids)
	first := <-pids
	for pid := range pids {
		if pid != first {
			t.Errorf("two coordinators answered: %s and %s", first, pid)
		}
	}
	line, err := n.client().Call(wire.Request{V: wire.Version, Op: string(wire.OpShutdown)}, time.Now().Add(patience))
	if err != nil || !strings.Contains(string(line), `"code":""`) {
		t.Errorf("shutdown: %v %s", err, line)
	}
}
