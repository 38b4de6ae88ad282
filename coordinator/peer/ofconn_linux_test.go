package peer_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/peer"
)

// The roles of helpers. Each helper waits until its input ends.
const (
	roleServe  = "serve"  // says which process makes each connection
	roleDial   = "dial"   // makes a connection
	roleHide   = "hide"   // is not dumpable, and makes a connection
	roleStart  = "start"  // starts the helper of AFAR_TEST_THEN
	roleOrphan = "orphan" // starts the helper of AFAR_TEST_THEN in a session of its own, and ends
	roleShare  = "share"  // makes a connection that a child without marks has too
	roleHand   = "hand"   // makes a connection and becomes the program of AFAR_TEST_SETUID
	roleFlight = "flight" // makes a connection, and leaves it on its way through a Unix socket
	roleKeep   = "keep"   // holds the connection that it was given, as root if it can
)

func init() {
	roles[roleServe] = serve
	roles[roleDial] = func() { say(dial()); wait() }
	roles[roleHide] = func() {
		must(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
		say(dial())
		wait()
	}
	roles[roleStart] = func() { must(then().Run()) }
	roles[roleOrphan] = func() {
		cmd := then()
		cmd.Env = append(cmd.Env, "AFAR_TEST_STARTER="+strconv.Itoa(os.Getpid()))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		must(cmd.Start())
	}
	roles[roleShare] = func() {
		conn := dial()
		cmd := again(roleKeep)
		cmd.Env = []string{"AFAR_TEST_ROLE=" + roleKeep}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.ExtraFiles = []*os.File{fileOf(conn)}
		must(cmd.Start())
		wait()
	}
	roles[roleHand] = func() {
		file := fileOf(dial())
		must(unix.Dup2(int(file.Fd()), 3))
		exe := os.Getenv("AFAR_TEST_SETUID")
		must(os.Setenv("AFAR_TEST_ROLE", roleKeep))
		must(syscall.Exec(exe, []string{exe}, os.Environ()))
	}
	roles[roleFlight] = func() {
		file := fileOf(dial())
		fd := int(file.Fd())
		ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		must(err)
		must(unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_CORK, 1)) // it is sent when nobody holds it
		say(file)
		must(unix.Sendmsg(ends[0], []byte("x"), unix.UnixRights(fd), nil, 0))
		must(file.Close())
		wait()
	}
	roles[roleKeep] = func() {
		_ = syscall.Setreuid(0, 0) // in a setuid program only
		say(os.NewFile(3, "connection"))
		wait()
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func wait() { _, _ = io.Copy(io.Discard, os.Stdin) }

// say tells the server that it may look now.
func say(conn io.Writer) {
	_, err := conn.Write([]byte("!"))
	must(err)
}

// dial connects to the server. An orphan waits until it is one.
func dial() *net.TCPConn {
	for strconv.Itoa(os.Getppid()) == os.Getenv("AFAR_TEST_STARTER") {
		time.Sleep(time.Millisecond)
	}
	conn, err := net.Dial("tcp", os.Getenv("AFAR_TEST_ADDR"))
	must(err)
	return conn.(*net.TCPConn)
}

// fileOf returns a connection as a file. Nothing else holds it then.
func fileOf(conn *net.TCPConn) *os.File {
	file, err := conn.File()
	must(err)
	must(conn.Close())
	return file
}

// again is this program in another role.
func again(role string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "AFAR_TEST_ROLE="+role)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	return cmd
}

func then() *exec.Cmd { return again(os.Getenv("AFAR_TEST_THEN")) }

// A finding is what OfTCP says of a connection.
type finding struct {
	Line []peer.Process
	Born []bool
	Err  string
}

func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() {
		wait()
		os.Exit(0)
	}()
	fmt.Println(l.Addr())
	for {
		conn, err := l.Accept()
		must(err)
		_, err = io.ReadFull(conn, make([]byte, 1))
		must(err)
		must(json.NewEncoder(os.Stdout).Encode(find(conn)))
	}
}

func find(conn net.Conn) (f finding) {
	var err error
	f.Line, err = peer.OfTCP(addrOf(conn.LocalAddr()), addrOf(conn.RemoteAddr()))
	for _, p := range f.Line {
		f.Born = append(f.Born, peer.Born(p.PID))
	}
	if err != nil {
		f.Err = err.Error()
	}
	return f
}

func addrOf(a net.Addr) netip.AddrPort { return a.(*net.TCPAddr).AddrPort() }

// A page is a server that says who connects to it.
type page struct {
	t    *testing.T
	dir  string // with the program of the helpers, which every user may run
	exe  string
	uid  int // of the server
	addr string
	out  *bufio.Scanner
}

// strangers counts the users that tests have had.
var strangers atomic.Int64

// newStranger returns a user without any processes.
func newStranger() int { return 54321 + int(strangers.Add(1)) }

// newPage starts a server as a user. Only root can start one as another.
func newPage(t *testing.T, uid int) *page {
	t.Helper()
	if uid != os.Getuid() && os.Getuid() != 0 {
		t.Skip("only root can start programs of several users")
	}
	dir, err := os.MkdirTemp("", "afar-peer-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &page{t: t, dir: dir, uid: uid}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.exe = p.program("helper", 0o755)
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd := p.command(uid, roleServe)
	cmd.Stdout = in
	p.start(cmd)
	in.Close()
	p.out = bufio.NewScanner(out)
	if !p.out.Scan() {
		t.Fatal("the server does not start")
	}
	p.addr = p.out.Text()
	return p
}

// program copies this program.
func (p *page) program(name string, mode os.FileMode) (path string) {
	p.t.Helper()
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		p.t.Fatal(err)
	}
	path = filepath.Join(p.dir, name)
	if err := errors.Join(os.WriteFile(path, data, 0o755), os.Chmod(path, mode)); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *page) command(uid int, role string, env ...string) *exec.Cmd {
	cmd := exec.Command(p.exe)
	cmd.Dir = "/"
	cmd.Env = append([]string{"AFAR_TEST_ROLE=" + role, "AFAR_TEST_ADDR=" + p.addr, race}, env...)
	cmd.Stderr = os.Stderr
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return cmd
}

// start starts a helper. It and its children end with the test: their input ends.
func (p *page) start(cmd *exec.Cmd) {
	p.t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
}

// next returns what is found for the next connection.
func (p *page) next() (f finding) {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatal("the server is gone")
	}
	if err := json.Unmarshal(p.out.Bytes(), &f); err != nil {
		p.t.Fatal(err)
	}
	return f
}

// ask starts a helper of a user and returns what is found for its connection.
func (p *page) ask(uid int, role string, env ...string) (*exec.Cmd, finding) {
	p.t.Helper()
	cmd := p.command(uid, role, env...)
	p.start(cmd)
	return cmd, p.next()
}

func (p *page) unknown(f finding) {
	p.t.Helper()
	if f.Err == "" || len(f.Line) != 0 || !strings.HasPrefix(f.Err, peer.ErrUnknown.Error()) {
		p.t.Errorf("have %+v", f)
	}
}

func marked(line []peer.Process) bool {
	return slices.ContainsFunc(line, func(p peer.Process) bool { return p.Marked })
}

func TestOfTCP(t *testing.T) {
	p := newPage(t, os.Getuid())
	for _, c := range []struct {
		name   string
		env    []string
		marked bool
	}{
		{"plain", nil, false},
		{"in a session", []string{"CLAUDECODE=1"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, f := p.ask(p.uid, roleDial, c.env...)
			if f.Err != "" || len(f.Line) < 2 {
				t.Fatalf("have %+v", f)
			}
			if f.Line[0].PID != cmd.Process.Pid || f.Line[1].PID != os.Getpid() || f.Line[0].Marked != c.marked {
				t.Errorf("have %+v", f)
			}
		})
	}
	t.Run("below a session", func(t *testing.T) {
		cmd := p.command(p.uid, roleStart, "AFAR_TEST_THEN="+roleDial, "CLAUDECODE=1")
		p.start(cmd)
		if f := p.next(); f.Err != "" || len(f.Line) < 2 || f.Line[1].PID != cmd.Process.Pid || !f.Line[1].Marked {
			t.Errorf("have %+v", f)
		}
	})
}

// TestOfTCPShared: all processes that hold a connection count, and one in a session comes first.
func TestOfTCPShared(t *testing.T) {
	p := newPage(t, os.Getuid())
	cmd, f := p.ask(p.uid, roleShare, "CLAUDECODE=1")
	if f.Err != "" || len(f.Line) == 0 || f.Line[0].PID != cmd.Process.Pid && f.Line[1].PID != cmd.Process.Pid {
		t.Fatalf("have %+v", f)
	}
	pids := map[int]bool{}
	for _, one := range f.Line {
		pids[one.PID] = true
	}
	if !marked(f.Line) || !pids[cmd.Process.Pid] || len(pids) < 3 {
		t.Errorf("have %+v", f)
	}
}

// TestOfTCPBorn: a program that a session's shell started is known by its birthmark, whatever
// it does with its parents and its environment.
func TestOfTCPBorn(t *testing.T) {
	p := newPage(t, os.Getuid())
	cmd := p.command(p.uid, roleOrphan, "AFAR_TEST_THEN="+roleDial)
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", birthmark.Line + `exec setsid "$0"`, p.exe}
	p.start(cmd)
	f := p.next()
	if f.Err != "" || len(f.Line) == 0 || !f.Born[0] || marked(f.Line) {
		t.Errorf("have %+v", f)
	}
	for _, one := range f.Line {
		if one.PID == os.Getpid() {
			t.Errorf("it is no orphan: %+v", f)
		}
	}
}

// alone runs a test again where it sees no processes but its own, and reports whether it did.
// Only root can do that.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("AFAR_TEST_ALONE") != "" {
		return false
	}
	if os.Getuid() != 0 {
		t.Skip("only root can start programs of several users")
	}
	if testing.Short() {
		t.Skip("it drives programs")
	}
	script := `"$0" -test.run "^$1$" -test.v; exit $?` // the shell is the first process, and adopts orphans
	cmd := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "bash", "-c", script, os.Args[0], t.Name())
	cmd.Env = append(os.Environ(), "AFAR_TEST_ALONE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		if exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").Run() != nil {
			t.Skip("no namespace can be made here")
		}
		t.Errorf("%v\n%s", err, out)
	}
	return true
}

// TestOfTCPHidden: a program that does not show its connections is refused, unless root
// started it, as sshd starts the process of a login.
func TestOfTCPHidden(t *testing.T) {
	if alone(t) {
		return
	}
	t.Run("a child of ours", func(t *testing.T) {
		p := newPage(t, newStranger())
		p.start(p.command(p.uid, roleStart, "AFAR_TEST_THEN="+roleHide))
		p.unknown(p.next())
	})
	t.Run("an orphan", func(t *testing.T) {
		p := newPage(t, newStranger())
		p.start(p.command(p.uid, roleOrphan, "AFAR_TEST_THEN="+roleHide))
		p.unknown(p.next())
	})
	t.Run("a child of root", func(t *testing.T) {
		p := newPage(t, newStranger())
		cmd, f := p.ask(p.uid, roleHide)
		if f.Err != "" || len(f.Line) < 2 || f.Line[0].PID != cmd.Process.Pid ||
			f.Line[1].PID != os.Getpid() || f.Born[0] {
			t.Errorf("have %+v", f)
		}
	})
	for name, setup := range map[string]struct{ birth, env string }{
		"on its way, by a session's program":             {birthmark.Line, "A=b"},
		"on its way, by a session's program, by its env": {"", "CLAUDECODE=1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, newStranger())
			if _, f := p.ask(p.uid, roleHide); f.Err != "" {
				t.Fatal(f.Err) // the process of root's that the other could pass for
			}
			cmd := p.command(p.uid, roleFlight, setup.env)
			cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", setup.birth + `exec "$0"`, p.exe}
			p.start(cmd)
			f := p.next()
			if f.Err == "" && (len(f.Line) == 0 || !f.Born[0] && !f.Line[0].Marked) {
				t.Errorf("have %+v", f)
			}
		})
	}
	t.Run("a child of root with the birthmark", func(t *testing.T) {
		p := newPage(t, newStranger())
		cmd := p.command(p.uid, roleHide)
		script := birthmark.Line + `exec "$0"`
		cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", script, p.exe}
		p.start(cmd)
		p.unknown(p.next())
	})
	t.Run("beside one that may be it", func(t *testing.T) {
		p := newPage(t, newStranger())
		p.start(p.command(p.uid, roleStart, "AFAR_TEST_THEN="+roleHide))
		p.unknown(p.next())
		_, f := p.ask(p.uid, roleHide)
		p.unknown(f)
	})
	t.Run("beside a session of root", func(t *testing.T) {
		p := newPage(t, newStranger())
		other := exec.Command("bash", "-c", birthmark.Line+"echo; read -r x")
		out, err := other.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		p.start(other)
		bufio.NewScanner(out).Scan()
		if _, f := p.ask(p.uid, roleHide); f.Err != "" {
			t.Error(f.Err)
		}
	})
	t.Run("handed to a program that runs as root", func(t *testing.T) {
		p := newPage(t, newStranger())
		if _, f := p.ask(p.uid, roleHide); f.Err != "" {
			t.Fatal(f.Err) // it hides, too, and it is what the other could pass for
		}
		cmd := p.command(p.uid, roleStart, "AFAR_TEST_THEN="+roleHand,
			"AFAR_TEST_SETUID="+p.program("setuid", 0o755|os.ModeSetuid))
		script := birthmark.Line + `exec "$0"`
		cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", script, p.exe}
		p.start(cmd)
		p.unknown(p.next())
	})
}

// TestOfTCPGroup: a hidden program in another control group than the connection's does not
// stand in the way of a proxy, and cannot pass for it.
func TestOfTCPGroup(t *testing.T) {
	if alone(t) {
		return
	}
	p := newPage(t, newStranger())
	group := ""
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.procs")); err == nil {
			group = filepath.Join(root, "afar-test-"+strconv.Itoa(os.Getpid()))
		}
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skip("no control group can be made: ", err)
	}
	t.Cleanup(func() { _ = os.Remove(group) })
	cmd := p.command(p.uid, roleStart, "AFAR_TEST_THEN="+roleHide)
	script := `echo $$ > "$0/cgroup.procs" && exec setpriv --reuid "$1" --regid "$1" --clear-groups "$2"`
	cmd.SysProcAttr = nil // root moves it before it becomes the other user
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", script, group, strconv.Itoa(p.uid), p.exe}
	p.start(cmd)
	p.unknown(p.next())
	if _, f := p.ask(p.uid, roleHide); f.Err != "" || len(f.Line) < 2 || f.Line[1].PID != os.Getpid() {
		t.Errorf("have %+v", f)
	}
}

func TestOfTCPOtherUser(t *testing.T) {
	p := newPage(t, newStranger())
	if _, f := p.ask(0, roleDial); f.Err != "" || len(f.Line) != 1 || f.Line[0].PID != 0 || f.Born[0] ||
		f.Line[0].Marked {
		t.Errorf("root: %+v", f)
	}
	_, f := p.ask(newStranger(), roleDial)
	p.unknown(f)
}

// TestOfTCPAddresses: IPv6, and an IPv6 socket that is used for an IPv4 connection.
func TestOfTCPAddresses(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "127.0.0.2:0", "[::1]:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Log(err) // a machine without IPv6
			continue
		}
		defer l.Close()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		other, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if f := find(other); f.Err != "" || len(f.Line) == 0 || f.Line[0].PID != os.Getpid() {
			t.Errorf("%s: %+v", addr, f)
		}
		local := addrOf(other.LocalAddr())
		mapped := netip.AddrPortFrom(netip.AddrFrom16(local.Addr().As16()), local.Port())
		if line, err := peer.OfTCP(mapped, addrOf(other.RemoteAddr())); err != nil || len(line) == 0 {
			t.Errorf("%s, mapped: %+v, %v", addr, line, err)
		}
	}
	wide(t)
}

func wide(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(fd)
	to := &unix.SockaddrInet6{Port: l.Addr().(*net.TCPAddr).Port, Addr: netip.MustParseAddr("::ffff:127.0.0.1").As16()}
	if err := unix.Connect(fd, to); err != nil {
		t.Skip(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if f := find(conn); f.Err != "" || len(f.Line) == 0 || f.Line[0].PID != os.Getpid() {
		t.Errorf("have %+v", f)
	}
}

// TestOfTCPGone: nobody holds a connection that was closed, and nobody is asked about one
// that is not of this machine.
func TestOfTCPGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn.Close()
	if f := find(other); f.Err == "" {
		t.Errorf("have %+v", f)
	}
	for _, remote := range []string{"192.0.2.1:80", "[2001:db8::1]:80", "0.0.0.0:1"} {
		line, err := peer.OfTCP(addrOf(l.Addr()), netip.MustParseAddrPort(remote))
		if !errors.Is(err, peer.ErrUnknown) {
			t.Errorf("%s: %+v, %v", remote, line, err)
		}
	}
	if line, err := peer.OfTCP(netip.AddrPort{}, netip.AddrPort{}); !errors.Is(err, peer.ErrUnknown) {
		t.Errorf("%+v, %v", line, err)
	}
}

// BenchmarkOfTCP measures a machine with 400 processes that have 30 open files each.
func BenchmarkOfTCP(b *testing.B) {
	script := `for i in {10..36}; do eval "exec $i</dev/null"; done; echo; read -r x`
	for range 400 {
		cmd := exec.Command("bash", "-c", script)
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer cmd.Wait() //nolint:errcheck // it reads until its input ends
		defer in.Close()
		bufio.NewScanner(out).Scan()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	other, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer other.Close()
	for b.Loop() {
		if _, err := peer.OfTCP(addrOf(other.LocalAddr()), addrOf(other.RemoteAddr())); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOfTCPAnew: who has let go of a connection does not count, and those to whom it went do.
func TestOfTCPAnew(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// It hands the connection to a child in a session, which then closes it.
	script := `exec 3<>"/dev/tcp/${0%:*}/${0##*:}" 4<&0; read -r x
		CLAUDECODE=1 bash -c 'read -r x <&4; exec 3>&-; read -r x <&4' & exec 3>&-; wait`
	cmd := exec.Command("bash", "-c", script, l.Addr().String())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // it reads until its input ends
	defer in.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	look := func() ([]peer.Process, error) {
		return peer.OfTCP(addrOf(conn.LocalAddr()), addrOf(conn.RemoteAddr()))
	}
	if line, err := look(); err != nil || line[0].PID != cmd.Process.Pid || line[0].Marked {
		t.Fatalf("at first: %+v, %v", line, err)
	}
	fmt.Fprintln(in)
	becomes(t, "is in a session", func() bool { line, err := look(); return err == nil && line[0].Marked })
	fmt.Fprintln(in)
	becomes(t, "has no connection", func() bool { _, err := look(); return err != nil })
}

// becomes waits until something is true.
func becomes(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never %s", what)
		}
	}
}

// TestOfTCPForks: a program that starts others all the time is found. Each of them holds the
// connection for an instant, from its fork to its exec.
func TestOfTCPForks(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { startUntil(done) })
	}
	for range 100 {
		if _, err := peer.OfTCP(addrOf(l.Addr()), addrOf(conn.LocalAddr())); err != nil {
			t.Error(err)
		}
	}
	close(done)
	all.Wait()
}

// startUntil starts one program after the other.
func startUntil(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			_ = exec.Command("true").Run()
		}
	}
}
