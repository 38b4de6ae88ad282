package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A fleetRig is a hub with Ann's phone, and machines without one of their own. Each has a home, a coordinator and hooks.
type fleetRig struct {
	*phone
	addr string
}

func newFleetRig(t *testing.T) *fleetRig {
	t.Helper()
	r := &fleetRig{phone: newPhone(t), addr: freeAddr(t)}
	r.afar("fleet", "serve", "--listen", r.addr, "--name", "desk")
	return r
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// join makes another machine a member. Its person is away, so each question goes to the hub at once.
func (r *fleetRig) join(name string, flags ...string) *phone {
	r.t.Helper()
	m := &phone{nest: newNest(r.t), bot: r.bot, ann: r.ann}
	m.project = filepath.Join(m.dirs.User, "project")
	if err := os.Mkdir(m.project, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(m.end)
	word := wordOf(r.afar(append([]string{"fleet", "invite", "--name", name}, flags...)...))
	m.alone("fleet", "join", word)
	r.connected(name)
	m.alone("away", "on")
	return m
}

// wordOf returns the word of an invite as it is printed.
func wordOf(out string) string {
	fields := strings.Fields(out[strings.Index(out, "afar fleet join "):])
	return fields[3]
}

// alone runs the command line on a machine that has no bot.
func (p *phone) alone(args ...string) string {
	p.t.Helper()
	out, err := p.tryAlone(args...)
	if err != nil {
		p.t.Fatalf("afar %s: %v\n%s\n%s", strings.Join(args, " "), err, out, p.trail())
	}
	return out
}

func (p *phone) tryAlone(args ...string) (string, error) {
	cmd := exec.Command(p.bin, args...)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// machine returns a machine as the hub lists it.
func (r *fleetRig) machine(name string) (m wire.Machine) {
	r.t.Helper()
	var all wire.MachinesReply
	if err := json.Unmarshal([]byte(r.afar("fleet", "list", "--json")), &all); err != nil {
		r.t.Fatal(err)
	}
	for _, one := range all.Machines {
		if one.Name == name {
			return one
		}
	}
	return m
}

func (r *fleetRig) connected(name string) { r.t.Helper(); r.is(name, wire.MachineUp) }

// is waits until a machine has a state.
func (r *fleetRig) is(name, state string) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); r.machine(name).State != state; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%s is not %s: %+v\n%s", name, state, r.machine(name), r.trail())
		}
	}
}

// requests has a session of a machine ask for a command, and returns its hook.
func (p *phone) requests(session, command string) (*hookRun, payload) {
	p.t.Helper()
	in := p.session(session, command).with(payload{"tool_name": "Bash", "tool_input": payload{"command": command}})
	return p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1"), in
}

// TestFleetTwoMachines checks that the questions of both machines come to the one phone, and that each tap settles the
// right one.
func TestFleetTwoMachines(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")

	here, _ := r.requests("s", "make here")
	there, _ := build.requests("s", "make there")
	theirs := r.current("make there")[0]
	if !strings.Contains(theirs.Text, "build") {
		t.Errorf("the card does not name its machine:\n%s", theirs.Text)
	}
	if _, err := r.ann.Tap(theirs.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	if out, err := there.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		t.Fatalf("build's hook printed %q, %v\n%s\n%s", out, err, r.trail(), build.trail())
	}
	r.await("the settled card", func(m botapi.Message) bool {
		return m.ID == theirs.ID && len(m.Keyboard) == 0 && strings.Contains(m.Text, "Ann")
	})
	if cards := r.showing("make there"); len(cards) != 1 {
		t.Errorf("the question is on the phone %d times", len(cards))
	}
	ours := r.current("make here")[0]
	if _, err := r.ann.Tap(ours.ID, "Deny"); err != nil {
		t.Fatal(err)
	}
	if out, err := here.wait(); err != nil || !strings.Contains(out, `"deny"`) {
		t.Fatalf("the hub's hook printed %q, %v", out, err)
	}
	if got := r.afar("--machine", "build", "status"); !strings.Contains(got, "project") {
		t.Errorf("the status of build:\n%s", got)
	}
	if m := r.machine("build"); m.State != wire.MachineUp || m.Role != "member" || !m.Decides {
		t.Errorf("build is listed as %+v", m)
	}
}
