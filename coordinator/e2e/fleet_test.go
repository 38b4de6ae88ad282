package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A fleetRig is a hub with Ann's phone, and machines without one of their own. Each has a home, a coordinator and hooks.
type fleetRig struct {
	*phone
	addr string
}

func newFleetRig(t testing.TB) *fleetRig { t.Helper(); return newFleetRigOn(t, newNest(t)) }

// newFleetRigOn returns a rig whose hub is the machine of a nest.
func newFleetRigOn(t testing.TB, n *nest) *fleetRig {
	t.Helper()
	r := &fleetRig{phone: newPhoneOn(t, n), addr: netproxy.FreeAddr(t)}
	r.afar("fleet", "serve", "--listen", r.addr, "--name", "desk")
	return r
}

// join makes another machine a member. Its person is away, so each question goes to the hub at once.
func (r *fleetRig) join(name string, flags ...string) *phone {
	r.t.Helper()
	return r.joinBy(name, wordOf(r.afar(append([]string{"fleet", "invite", "--name", name}, flags...)...)))
}

// joinThrough makes another machine a member whose connection goes through a proxy.
func (r *fleetRig) joinThrough(name string) (*phone, *netproxy.Proxy) {
	r.t.Helper()
	p := netproxy.New(r.t, r.addr)
	w, err := link.ParseWord(wordOf(r.afar("fleet", "invite", "--name", name)))
	if err != nil {
		r.t.Fatal(err)
	}
	w.Addrs = []string{p.Addr()}
	return r.joinBy(name, w.String()), p
}

func (r *fleetRig) joinBy(name, word string) *phone {
	r.t.Helper()
	return r.joinOn(newNest(r.t), name, word)
}

// joinOn makes the machine of a nest a member.
func (r *fleetRig) joinOn(n *nest, name, word string) *phone {
	r.t.Helper()
	m := &phone{nest: n, bot: r.bot, ann: r.ann}
	m.project = filepath.Join(m.dirs.User, "project")
	if err := os.Mkdir(m.project, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(m.end)
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

// allowed waits for a hook that prints that its call may run.
func (r *fleetRig) allowed(at *phone, h *hookRun) {
	r.t.Helper()
	if out, err := h.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		r.t.Fatalf("the hook printed %q, %v\n%s", out, err, r.trails(at))
	}
}

func (r *fleetRig) tapAllow(command string) {
	r.t.Helper()
	if _, err := r.ann.Tap(r.current(command)[0].ID, "Allow"); err != nil {
		r.t.Fatal(err)
	}
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

// settledAt waits until the card of a question has no buttons, and returns its text.
func (r *fleetRig) settled(card botapi.Message) string {
	r.t.Helper()
	return r.await("the settled card", func(m botapi.Message) bool {
		return m.ID == card.ID && len(m.Keyboard) == 0 && !strings.Contains(m.Text, "on its way")
	}).Text
}

// TestFleetAway checks that an answer for a machine that is not reachable waits, counts when the machine is back and the
// question is still open, and is told to be too late where it is not.
func TestFleetAway(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build, between := r.joinThrough("build")
	part := func(on bool) {
		between.Refuse(on)
		if on {
			between.Cut()
		}
	}

	first, _ := build.requests("s", "make first")
	card := r.current("make first")[0]
	part(true)
	r.await("a card that says so", func(m botapi.Message) bool {
		return m.ID == card.ID && strings.Contains(m.Text, "not reachable since")
	})
	if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	r.await("a card whose answer waits", func(m botapi.Message) bool {
		return m.ID == card.ID && len(m.Keyboard) == 0 && strings.Contains(m.Text, "It waits for build")
	})
	part(false)
	if out, err := first.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		t.Fatalf("the hook printed %q, %v\n%s", out, err, r.trails(build))
	}
	r.settled(card)

	// This time the question is answered at the machine before the answer gets there.
	second, _ := build.requests("s", "make second")
	card = r.current("make second")[0]
	part(true)
	r.is("build", wire.MachineAway)
	if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	_ = second.cmd.Process.Kill()
	var asks wire.AsksReply
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if build.call(wire.OpAsks, nil, &asks); len(asks.Asks) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the question of a hook that is gone stays: %+v", asks.Asks)
		}
	}
	part(false)
	r.await("the end of the second question", func(m botapi.Message) bool {
		return m.ID == card.ID && len(m.Keyboard) == 0 && !strings.Contains(m.Text, "It waits")
	})
	r.await("word that it was too late", func(m botapi.Message) bool { return strings.Contains(m.Text, "build: Too late") })
}

// TestFleetNoDecide checks that the phone shows the questions of a machine that decides by itself, without buttons.
func TestFleetNoDecide(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build", "--no-decide")
	hook, _ := build.requests("s", "make mine")
	card := r.await("a card", func(m botapi.Message) bool { return strings.Contains(m.Text, "make mine") })
	if len(card.Keyboard) != 0 || !strings.Contains(card.Text, "answer at that machine") {
		t.Errorf("the card has %d rows of buttons:\n%s", len(card.Keyboard), card.Text)
	}
	r.ann.Say(annID, "yes")
	var asks wire.AsksReply
	build.call(wire.OpAsks, nil, &asks)
	if len(asks.Asks) != 1 || asks.Asks[0].State != "open" {
		t.Errorf("the question at the machine: %+v", asks.Asks)
	}
	_ = hook.cmd.Process.Kill()
}

// TestFleetStrangers checks what sessions and other machines may not do.
func TestFleetStrangers(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	other := &phone{nest: newNest(t), bot: r.bot, ann: r.ann}
	t.Cleanup(other.end)

	word := wordOf(r.afar("fleet", "invite", "--name", "third"))
	inSession := append([]string{"CLAUDECODE=1"}, build.env...)
	for _, args := range [][]string{
		{"fleet", "serve"}, {"fleet", "join", word}, {"fleet", "leave"}, {"fleet", "invite"}, {"fleet", "remove", "build"},
		{"fleet", "rename", "build", "b"},
	} {
		cmd := exec.Command(build.bin, args...)
		cmd.Env = inSession
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("afar %s worked inside a session: %s", strings.Join(args, " "), out)
		}
	}
	for _, args := range [][]string{{"away", "off"}, {"status"}} {
		cmd := exec.Command(r.bin, append([]string{"--machine", "build"}, args...)...)
		cmd.Env = append([]string{"CLAUDECODE=1"}, r.env...)
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("afar --machine build %s worked inside a session: %s", args, out)
		}
	}
	other.alone("fleet", "join", word)
	r.connected("third")
	third := &phone{nest: newNest(t), bot: r.bot, ann: r.ann}
	t.Cleanup(third.end)
	if out, err := third.tryAlone("fleet", "join", word); err == nil {
		t.Errorf("an invite was good for a second machine: %s", out)
	}
	r.afar("fleet", "remove", "third")
	if m := r.machine("third"); m.Name != "" {
		t.Errorf("a removed machine is listed: %+v", m)
	}
	other.project = filepath.Join(other.dirs.User, "project")
	if err := os.Mkdir(other.project, 0o700); err != nil {
		t.Fatal(err)
	}
	other.alone("away", "on")
	hook, _ := other.requests("s", "make it-goes-on")
	here, _ := build.requests("s", "make it-does-not")
	r.current("make it-does-not")
	if cards := r.showing("make it-goes-on"); len(cards) > 0 {
		t.Errorf("a removed machine is on the phone: %s", cards[0].Text)
	}
	for _, h := range []*hookRun{hook, here} {
		_ = h.cmd.Process.Kill()
	}
	build.alone("fleet", "leave")
	if m := r.machine("build"); m.Name != "" {
		t.Errorf("a machine that left is listed: %+v", m)
	}
}

// TestFleetWords checks that texts and runs with a machine in their address get there.
func TestFleetWords(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	if _, err := build.start("SessionStart", build.session("s", "x").with(payload{"source": "startup"})).wait(); err != nil {
		t.Fatal(err)
	}
	var status wire.StatusReply
	build.call(wire.OpStatus, nil, &status)
	if len(status.Sessions) != 1 {
		t.Fatalf("sessions: %+v", status.Sessions)
	}
	token := status.Sessions[0].Token
	r.ann.Say(annID, "/send "+token+"@build go on with it")
	r.await("what became of it", func(m botapi.Message) bool { return strings.Contains(m.Text, "gets it") })
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var inbox wire.InboxReply
		build.call(wire.OpInbox, wire.InboxRequest{}, &inbox)
		if len(inbox.Messages) == 1 && inbox.Messages[0].Text == "go on with it" && inbox.Messages[0].Words {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the texts of build: %+v\n%s", inbox.Messages, r.trails(build))
		}
	}
}

// TestFleetKilled kills hub, member and the server between them at many moments of a question. Each question is on the
// phone once, and its answer takes effect once.
func TestFleetKilled(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	for n, target := range []*phone{r.phone, build, r.phone, build} { // two rounds while it is asked, two while answered
		for _, after := range []time.Duration{0, 10 * time.Millisecond, 40 * time.Millisecond} {
			command := fmt.Sprintf("make round-%d-%d", n, after.Milliseconds())
			killed := target.aim()
			hook, _ := build.requests("s", command)
			if n < 2 { // while it is asked
				time.Sleep(after) // the test varies it
				target.fire(killed)
				r.afar("status")
			}
			card := r.current(command)[0]
			if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
				t.Fatal(err)
			}
			if n >= 2 { // while it is answered
				time.Sleep(after)
				target.fire(killed)
				r.afar("status")
			}
			if out, err := hook.wait(); err != nil || !strings.Contains(out, `"allow"`) {
				t.Fatalf("%s: the hook printed %q, %v\n%s", command, out, err, r.trails(build))
			}
			r.settled(card)
			// A hub that is killed between sending a card and noting it sends it once more, as on one machine.
			most := 1
			if target == r.phone {
				most = 2
			}
			if cards := r.showing(command); len(cards) > most {
				t.Errorf("%s is on the phone %d times", command, len(cards))
			}
		}
	}
	for step := range 3 { // its hook: while it is asked, while its card is shown, when it was tapped
		command := fmt.Sprintf("make hook-%d", step)
		hook, _ := build.requests("s", command)
		if step > 0 {
			r.current(command)
		}
		if step > 1 {
			r.tapAllow(command)
		}
		_ = hook.cmd.Process.Kill()
		_, _ = hook.wait()
		build.eventually("the question is over", func() bool {
			var all wire.AsksReply
			build.call(wire.OpAsks, nil, &all)
			return len(all.Asks) == 0
		})
		for _, card := range r.showing(command) {
			r.settled(card)
		}
	}
}

// TestFleetPutBack puts hub and member back to an earlier copy of their databases. Nothing is done twice, and the person
// hears of it in one line.
func TestFleetPutBack(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	ask := func(command, button string) botapi.Message {
		hook, _ := build.requests("s", command)
		card := r.current(command)[0]
		if _, err := r.ann.Tap(card.ID, button); err != nil {
			t.Fatal(err)
		}
		if out, err := hook.wait(); err != nil || out == "" {
			t.Fatalf("%s: the hook printed %q, %v\n%s", command, out, err, r.trails(build))
		}
		r.settled(card)
		return card
	}
	ask("make one", "Allow")
	for name, of := range map[string]*phone{"build": build, "desk": r.phone} {
		of.stopped()
		copied := of.copyDatabase()
		r.call(wire.OpStatus, nil, &wire.StatusReply{})
		build.call(wire.OpStatus, nil, &wire.StatusReply{})
		r.connected("build")
		ask("make after-"+name, "Allow")
		of.stopped()
		of.restoreDatabase(copied)
		r.call(wire.OpStatus, nil, &wire.StatusReply{})
		build.call(wire.OpStatus, nil, &wire.StatusReply{})
		r.connected("build")
		if !r.hears(name + " was put back to an earlier copy") {
			t.Fatalf("nobody said that %s was put back\n%s", name, r.trails(build))
		}
		ask("make again-"+name, "Allow")
		if cards := r.showing("make after-" + name); len(cards) != 1 {
			t.Errorf("%s: the question is on the phone %d times", name, len(cards))
		}
	}
}

// hears reports whether a message with text comes within patience.
func (r *fleetRig) hears(text string) bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	_, err := r.bot.Await(ctx, func(m botapi.Message) bool { return strings.Contains(m.Text, text) })
	return err == nil
}

// trails returns what is known of hub and member in a test that failed.
func (r *fleetRig) trails(member *phone) string {
	var shown []string
	for _, m := range r.bot.Messages(annID) {
		shown = append(shown, m.Text)
	}
	return strings.Join([]string{
		strings.Join(shown, "\n---\n"), r.afar("fleet", "list", "--json"), r.afar("log", "-n", "15"), r.trail(), member.alone("log", "-n", "15"), member.trail(),
	}, "\n")
}

// stopped ends the coordinator of a machine in order.
func (p *phone) stopped() {
	p.t.Helper()
	p.alone("stop")
}

// copyDatabase returns a copy of the database of a machine whose coordinator does not run.
func (p *phone) copyDatabase() string {
	p.t.Helper()
	dir := p.t.TempDir()
	for _, name := range databaseFiles(p) {
		raw, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), raw, 0o600)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return dir
}

// restoreDatabase puts a copy in the place of the database.
func (p *phone) restoreDatabase(dir string) {
	p.t.Helper()
	for _, name := range databaseFiles(p) {
		if err := os.Remove(name); err != nil {
			p.t.Fatal(err)
		}
	}
	copies, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, name := range copies {
		raw, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(filepath.Dir(p.dirs.Database()), filepath.Base(name)), raw, 0o600)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

func databaseFiles(p *phone) []string {
	all, _ := filepath.Glob(p.dirs.Database() + "*")
	return all
}

// BenchmarkFleet measures a question of a member: the time from the start of its hook to the card at the Bot API, and
// from the tap to the end of the hook. It compares with the same on the hub itself, in turn.
func BenchmarkFleet(b *testing.B) {
	r := newFleetRig(b)
	build := r.join("build")
	card, tap := map[*phone][]time.Duration{}, map[*phone][]time.Duration{}
	n := 0
	for b.Loop() {
		n++
		for _, at := range []*phone{r.phone, build} {
			mark := fmt.Sprintf("target-%05d-%s", n, filepath.Base(filepath.Dir(at.project)))
			began := time.Now()
			hook, _ := at.requests("speed", "make "+mark)
			shown := r.current(mark)[0]
			card[at] = append(card[at], time.Since(began))
			began = time.Now()
			if _, err := r.ann.Tap(shown.ID, "Allow"); err != nil {
				b.Fatal(err)
			}
			if out, err := hook.wait(); err != nil || !strings.Contains(out, `"allow"`) {
				b.Fatalf("the hook printed %q, %v", out, err)
			}
			tap[at] = append(tap[at], time.Since(began))
		}
	}
	b.ReportMetric(p50(card[build]), "ms-card-p50")
	b.ReportMetric(p50(card[r.phone]), "ms-card-here-p50")
	b.ReportMetric(p50(tap[build]), "ms-tap-p50")
	b.ReportMetric(p50(tap[r.phone]), "ms-tap-here-p50")
}
