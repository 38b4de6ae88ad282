package e2e

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/standin/long"
)

// A network is a network namespace: it plays a machine of its own, with its own loopback.
type network struct {
	t    testing.TB
	name string
}

// newNetworks returns two networks whose machines reach each other at these addresses, or skips the test.
func newNetworks(t testing.TB, one, two string) (a, b network) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a network namespace")
	}
	name := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	a, b = network{t, name + "a"}, network{t, name + "b"}
	for _, n := range []network{a, b} {
		if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
			t.Skipf("no network namespace can be made here: %v %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", n.name).Run() })
	}
	for _, line := range []string{
		"link add a1 netns " + a.name + " type veth peer name b1 netns " + b.name,
		"-n " + a.name + " addr add " + one + " dev a1", "-n " + b.name + " addr add " + two + " dev b1",
		"-n " + a.name + " link set a1 up", "-n " + b.name + " link set b1 up",
		"-n " + a.name + " link set lo up", "-n " + b.name + " link set lo up",
	} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			t.Skipf("ip %s: %v %s", line, err, out)
		}
	}
	return a, b
}

// command returns a command that runs in the network.
func (n network) command(name string, args ...string) *exec.Cmd {
	return exec.CommandContext(n.t.Context(), "ip", append([]string{"netns", "exec", n.name, name}, args...)...)
}

// afar runs the command line of a machine in the network, and so the coordinator that it starts.
func (n network) afar(of *phone, args ...string) string {
	n.t.Helper()
	cmd := n.command(of.bin, args...)
	cmd.Env = append([]string{
		"AFAR_TELEGRAM_API=" + of.bot.URL(), "AFAR_TELEGRAM_TOKEN=" + of.bot.Token(),
	}, of.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.t.Fatalf("afar %s: %v\n%s\n%s", strings.Join(args, " "), err, out, of.trail())
	}
	return string(out)
}

// passes has an address of this machine's loopback reached in the network, too.
func (n network) passes(addr string) {
	n.t.Helper()
	listening := make(chan net.Listener)
	go func() { // its thread stays in the network, and ends with it
		runtime.LockOSThread()
		defer close(listening)
		at, err := os.Open("/run/netns/" + n.name)
		if err != nil || unix.Setns(int(at.Fd()), unix.CLONE_NEWNET) != nil {
			return
		}
		defer at.Close()
		if l, err := net.Listen("tcp", addr); err == nil {
			listening <- l
		}
	}()
	l := <-listening
	if l == nil {
		n.t.Fatalf("nothing listens at %s in %s", addr, n.name)
	}
	n.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go join(near, addr)
		}
	}()
}

// join passes on what comes between a connection and an address until one ends.
func join(near net.Conn, addr string) {
	defer near.Close()
	far, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer far.Close()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
		go func() {
			_, _ = way[0].(*net.TCPConn).WriteTo(way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

// newHubIn makes the hub in a network, at the address that it finds by itself.
func newHubIn(t testing.TB, at network) *fleetRig {
	t.Helper()
	r := &fleetRig{phone: newPhone(t)}
	r.afar("stop")
	bot, err := url.Parse(r.bot.URL())
	if err != nil {
		t.Fatal(err)
	}
	at.passes(bot.Host)
	at.afar(r.phone, "fleet", "serve", "--name", "desk")
	return r
}

// joinIn makes a machine in another network a member, and has it ask.
func (r *fleetRig) joinIn(at network) {
	r.t.Helper()
	m := &phone{nest: newNest(r.t), bot: r.bot, ann: r.ann}
	m.project = filepath.Join(m.dirs.User, "project")
	if err := os.Mkdir(m.project, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(m.end)
	at.afar(m, "fleet", "join", wordOf(r.afar("fleet", "invite", "--name", "build")))
	r.connected("build")
	m.alone("away", "on")
	hook, _ := m.requests("s", "make far-away")
	if _, err := r.ann.Tap(r.current("make far-away")[0].ID, "Allow"); err != nil {
		r.t.Fatal(err)
	}
	if out, err := hook.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		r.t.Fatalf("the hook printed %q, %v\n%s", out, err, r.trails(m))
	}
}

// TestFleetTailnet checks that a hub listens at the address that Tailscale gives its machine, where another machine of that
// network reaches it with nothing more than the word.
func TestFleetTailnet(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	desk, build := newNetworks(t, "100.64.7.1/10", "100.101.1.2/10")
	r := newHubIn(t, desk)
	if out := r.afar("doctor"); !strings.Contains(out, "this machine is desk, the hub") {
		t.Errorf("the doctor of the hub says:\n%s", out)
	}
	r.joinIn(build)
	desk.listens("100.64.7.1:4242")
}

// TestFleetSSH checks that a machine without such a network joins over a real ssh server, by the command that docs/fleet.md
// and the doctor say.
func TestFleetSSH(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("needs sshd, of Debian's package openssh-server")
	}
	desk, build := newNetworks(t, "10.77.0.1/24", "10.77.0.2/24")
	r := newHubIn(t, desk)
	const told = "ssh -N -R 4242:127.0.0.1:4242 "
	if out := r.afar("doctor"); !strings.Contains(out, told+"MACHINE") {
		t.Errorf("the doctor of the hub does not say %s:\n%s", told, out)
	}
	key := serveSSH(t, build, sshd, "10.77.0.2")
	args := append(strings.Fields(told)[1:], "-i", key, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "ExitOnForwardFailure=yes", "-o", "BatchMode=yes", "10.77.0.2")
	ssh := desk.command("ssh", args...)
	said := &strings.Builder{}
	ssh.Stderr = said
	if err := ssh.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = ssh.Process.Kill()
		_ = ssh.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	build.listens("127.0.0.1:4242")
	r.joinIn(build)
}

// listens waits until something listens at an address of the network.
func (n network) listens(addr string) {
	n.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		out, err := n.command("ss", "-Htln").Output()
		if strings.Contains(string(out), addr) {
			return
		}
		if time.Now().After(end) {
			n.t.Fatalf("nothing listens at %s: %s, %v", addr, out, err)
		}
	}
}

// serveSSH runs a real ssh server in a network, and returns the file of a key that it takes.
func serveSSH(t testing.TB, at network, sshd, addr string) (key string) {
	t.Helper()
	dir := t.TempDir()
	key = filepath.Join(dir, "key")
	for _, name := range []string{key, filepath.Join(dir, "host")} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v %s", err, out)
		}
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // it separates its privileges there
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	server := exec.CommandContext(ctx, "ip", "netns", "exec", at.name, sshd, "-D", "-e", "-f", "/dev/null",
		"-o", "ListenAddress="+addr, "-o", "HostKey="+filepath.Join(dir, "host"), "-o", "AuthorizedKeysFile="+key+".pub",
		"-o", "StrictModes=no", "-o", "UsePAM=no", "-o", "PermitRootLogin=yes", "-o", "PidFile=none")
	said := &strings.Builder{}
	server.Stderr = said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = server.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	at.listens(addr + ":22")
	return key
}
