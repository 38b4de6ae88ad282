//go:build unix

package client_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// soon is much longer than any call here takes, so that only a hang exceeds it.
const soon = 2 * time.Minute

var status = wire.Request{V: wire.Version, Op: string(wire.OpStatus)}

// newClient returns a client with its own home. If it starts a coordinator, that is this
// test binary.
func newClient(t *testing.T) *client.Client {
	t.Helper()
	root := t.TempDir()
	d, err := home.FromEnv(func(name string) string { return map[string]string{"AFAR_HOME": root, "HOME": root}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(d.Socket())) })
	return &client.Client{Dirs: d, Bin: t.TempDir(), Env: d.Env}
}

// serve calls f for every connection to c's socket until the test ends.
func serve(t *testing.T, c *client.Client, f func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", c.Dirs.Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); f(conn) }()
		}
	}()
}

func request(conn net.Conn) string {
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return line
}

func TestCall(t *testing.T) {
	c := newClient(t)
	got := make(chan string, 1)
	serve(t, c, func(conn net.Conn) {
		got <- request(conn)
		fmt.Fprint(conn, `{"v":1,"code":""}`+"\nmore that nobody reads\n")
	})
	reply, err := c.Call(wire.Request{V: 1, Op: "x", Body: wire.Raw("{\"a\":\n1}")}, time.Now().Add(soon))
	if err != nil || string(reply) != `{"v":1,"code":""}` {
		t.Errorf("have %q, %v", reply, err)
	}
	if line := <-got; line != `{"v":1,"op":"x","body":{"a": 1}}`+"\n" {
		t.Errorf("the coordinator read %q", line)
	}
	if !c.Answering() {
		t.Error("it answers, and the client says that it does not")
	}
}

// TestReceipt: a receipt counts only when the coordinator says that it has kept it.
func TestReceipt(t *testing.T) {
	for name, kept := range map[string]bool{"kept": true, "died with it": false} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t)
			got := make(chan byte, 1)
			serve(t, c, func(conn net.Conn) {
				r := bufio.NewReader(conn)
				_, _ = r.ReadString('\n')
				io.WriteString(conn, "taken\n")
				receipt, _ := r.ReadByte()
				if got <- receipt; kept {
					io.WriteString(conn, "\n")
				}
			})
			reply, conn, err := c.CallKeeping(status, time.Now().Add(soon))
			if err != nil || string(reply) != "taken" {
				t.Fatalf("have %q, %v", reply, err)
			}
			defer conn.Release()
			if err := conn.Receipt(); err != nil {
				t.Errorf("the receipt: %v", err)
			}
			if err := conn.Noted(); (err == nil) != kept {
				t.Errorf("noted: %v", err)
			}
			if receipt := <-got; receipt != '\n' {
				t.Errorf("the coordinator got %q", receipt)
			}
		})
	}
}

func TestCallLong(t *testing.T) {
	c := newClient(t)
	text := strings.Repeat("x", 5<<20)
	serve(t, c, func(conn net.Conn) { io.WriteString(conn, request(conn)) })
	reply, err := c.Call(wire.Request{V: 1, Op: text}, time.Now().Add(soon))
	if err != nil || len(reply) < len(text) {
		t.Errorf("have %d bytes, %v", len(reply), err)
	}
}

// TestRefusedEarly: a coordinator may refuse a caller before it reads the request.
func TestRefusedEarly(t *testing.T) {
	c := newClient(t)
	serve(t, c, func(conn net.Conn) { io.WriteString(conn, "refused\n") })
	reply, err := c.Call(wire.Request{V: 1, Op: strings.Repeat("x", 5<<20)}, time.Now().Add(soon))
	if err != nil || string(reply) != "refused" {
		t.Errorf("have %q, %v", reply, err)
	}
}

// TestUnreachable tries every way in which a call gets no reply.
func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		name   string
		play   func(net.Conn) // nil if there is no listener
		within time.Duration
	}{
		{"absent", nil, soon},
		{"reply broken off", func(conn net.Conn) { request(conn); io.WriteString(conn, `{"v":1`) }, soon},
		{"closed without a reply", func(conn net.Conn) { request(conn) }, soon},
		{"closed without reading", func(conn net.Conn) {}, soon},
		{"never answers", func(conn net.Conn) { io.Copy(io.Discard, conn) }, 50 * time.Millisecond},
		{"never ends its line", func(conn net.Conn) {
			chunk := strings.Repeat("x", 1<<20)
			for _, err := io.WriteString(conn, "x"); err == nil; _, err = io.WriteString(conn, chunk) {
			}
		}, soon},
		{"deadline already over", func(conn net.Conn) { io.WriteString(conn, "{}\n") }, -time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := newClient(t)
			if c.play != nil {
				serve(t, cl, c.play)
			}
			before := time.Now()
			reply, err := cl.Call(status, before.Add(c.within))
			if reply != nil || !errors.Is(err, client.ErrUnreachable) {
				t.Errorf("have %q, %v", reply, err)
			}
			if took := time.Since(before); took > soon/2 {
				t.Errorf("the call took %s", took)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	c := newClient(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: c.Dirs.Socket(), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if _, err := c.Call(status, time.Now().Add(soon)); !errors.Is(err, client.ErrUnreachable) ||
		!errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("have %v", err)
	}
	if c.Answering() {
		t.Error("a stale socket does not answer")
	}
	if _, err := os.Stat(c.Dirs.Socket()); err != nil {
		t.Errorf("a client never removes the socket: %v", err)
	}
}

// TestGarbage: Call returns the line unchanged. It does not decode the reply.
func TestGarbage(t *testing.T) {
	c := newClient(t)
	serve(t, c, func(conn net.Conn) { request(conn); io.WriteString(conn, "\x00\xff not JSON\n") })
	if reply, err := c.Call(status, time.Now().Add(soon)); err != nil || string(reply) != "\x00\xff not JSON" {
		t.Errorf("have %q, %v", reply, err)
	}
}

func TestCallStartsNothing(t *testing.T) {
	c := newClient(t)
	install(t, c)
	if _, err := c.Call(status, time.Now().Add(soon)); err == nil {
		t.Fatal("somebody answered")
	}
	if got := starts(c); len(got) != 0 {
		t.Errorf("Call started %v", got)
	}
}

func TestCallStarting(t *testing.T) {
	c := newClient(t)
	install(t, c)
	for range 3 { // the second and third find it running
		reply, err := c.CallStarting(status, time.Now().Add(soon))
		if err != nil || !strings.Contains(string(reply), `"pid"`) {
			t.Fatalf("have %q, %v", reply, err)
		}
	}
	if got := starts(c); len(got) != 1 {
		t.Errorf("started %d times", len(got))
	}
	reply, err := c.Call(status, time.Now().Add(soon))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`"args":"%s serve"`, filepath.Join(c.Bin, "afar")); !strings.Contains(string(reply), want) {
		t.Errorf("want %s in %s", want, reply)
	}
	if !strings.Contains(string(reply), `"leads":true`) || !strings.Contains(string(reply), `"cwd":"/"`) {
		t.Errorf("it must have a session of its own and hold no directory: %s", reply)
	}
	for _, v := range []string{"AFAR_TEST_SECRET", "CLAUDECODE"} {
		if strings.Contains(string(reply), v) {
			t.Errorf("its environment holds %s: %s", v, reply)
		}
	}
}

// TestCallOver: a call that nobody waits for any more starts nothing and makes no directory.
func TestCallOver(t *testing.T) {
	c := newClient(t)
	install(t, c)
	if err := os.RemoveAll(c.Dirs.Run); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	close(over)
	c.Over = over
	if _, err := c.CallStarting(status, time.Now().Add(soon)); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("have %v", err)
	}
	if _, err := os.Stat(c.Dirs.Run); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it made %s, %v", c.Dirs.Run, err)
	}
	if got := starts(c); len(got) != 0 {
		t.Errorf("it started %v", got)
	}
}

// TestCallStartingTogether: if many callers start a coordinator at once, one serves and
// answers them all.
func TestCallStartingTogether(t *testing.T) {
	c := newClient(t)
	install(t, c)
	replies := make(chan string, 8)
	for range cap(replies) {
		go func() {
			reply, err := c.CallStarting(status, time.Now().Add(soon))
			if err != nil {
				reply = []byte(err.Error())
			}
			replies <- string(reply)
		}()
	}
	first := <-replies
	for range cap(replies) - 1 {
		if next := <-replies; next != first || !strings.Contains(next, `"pid"`) {
			t.Errorf("two coordinators answered: %q and %q", first, next)
		}
	}
}

func TestCallStartingFails(t *testing.T) {
	c := newClient(t)
	if _, err := c.CallStarting(status, time.Now().Add(soon)); !errors.Is(err, client.ErrUnreachable) ||
		!strings.Contains(err.Error(), "start coordinator") {
		t.Errorf("without a binary: %v", err)
	}
	install(t, c)
	c.Env = with(c.Env, "AFAR_TEST_DIE=1")
	if _, err := c.CallStarting(status, time.Now().Add(300*time.Millisecond)); !errors.Is(err, client.ErrUnreachable) {
		t.Errorf("one that dies at once: %v", err)
	}
	for late := time.Now().Add(soon); len(starts(c)) == 0 && time.Now().Before(late); { // it may need longer than the call
		time.Sleep(time.Millisecond)
	}
	if got := starts(c); len(got) != 1 {
		t.Errorf("started %d times in one call", len(got))
	}
}

// TestStartLock: a caller without the start lock does not start a coordinator.
func TestStartLock(t *testing.T) {
	c := newClient(t)
	install(t, c)
	lock, err := home.TryLock(c.Dirs.StartLock())
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	defer lock.Release()
	if _, err := c.CallStarting(status, time.Now().Add(100*time.Millisecond)); err == nil {
		t.Error("somebody answered")
	}
	if got := starts(c); len(got) != 0 {
		t.Errorf("started %v", got)
	}
}

// install puts this test binary in the place of afar. At the end of the test it ends the
// processes that were started.
func install(t *testing.T, c *client.Client) {
	t.Helper()
	t.Setenv("AFAR_TEST_SECRET", "must not be handed down")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(c.Bin, "afar")); err != nil {
		t.Fatal(err)
	}
	c.Env = with(c.Env, "AFAR_TEST_SERVE="+startsFile(c))
	t.Cleanup(func() {
		for _, pid := range starts(c) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
}

// with adds variables to an environment.
func with(env func() []string, more ...string) func() []string {
	return func() []string { return append(env(), more...) }
}

func startsFile(c *client.Client) string { return filepath.Join(c.Dirs.State, "starts") }

// starts returns the ids of the processes that were started.
func starts(c *client.Client) (pids []int) {
	raw, _ := os.ReadFile(startsFile(c))
	for _, word := range strings.Fields(string(raw)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestMain(m *testing.M) {
	if path := os.Getenv("AFAR_TEST_SERVE"); path != "" {
		playCoordinator(path)
		return
	}
	os.Exit(m.Run())
}

// playCoordinator records its start, takes the life lock and answers every call with facts
// about itself, for at most a minute.
func playCoordinator(path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, os.Getpid())
	f.Close()
	if os.Getenv("AFAR_TEST_DIE") != "" {
		return
	}
	d, err := home.FromEnv(os.Getenv)
	if err != nil {
		panic(err)
	}
	life, err := home.TryLock(d.LifeLock())
	if err != nil || life == nil {
		return
	}
	l, err := net.Listen("unix", d.Socket())
	if err != nil {
		panic(err)
	}
	time.AfterFunc(time.Minute, func() { os.Exit(0) })
	cwd, _ := os.Getwd()
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		request(conn)
		fmt.Fprintf(conn, `{"pid":%d,"args":%q,"cwd":%q,"leads":%t,"env":%q}`+"\n",
			os.Getpid(), strings.Join(os.Args, " "), cwd, leads(), strings.Join(os.Environ(), " "))
		conn.Close()
	}
}

// leads reports whether this process is the leader of a session.
func leads() bool {
	sid, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	return errno == 0 && int(sid) == os.Getpid()
}
