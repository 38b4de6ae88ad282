package fleetwork_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/channel/hub"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/fleetwork"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// programs is where the server of the fleet is built, "" before the first test that needs it.
var programs string

var serverDir = sync.OnceValue(func() string {
	var err error
	if programs, err = os.MkdirTemp("", "fleetwork"); err != nil {
		panic(err)
	}
	bin := filepath.Join(programs, fleetwork.ServerProgram)
	build := exec.Command("go", "build", "-o", bin, "github.com/afar-sh/afar/cmd/fleet-server")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return programs
})

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(programs) // "" removes nothing
	os.Exit(code)
}

// phone is the channel through which the hub of these tests reaches its person.
const phone = "phone"

// A machine has the parts of a coordinator that a fleet needs, in this process and with a clock of its own.
type machine struct {
	*feature.Core
	t     *testing.T
	name  string
	dir   string
	store *store.Store
	ahead time.Duration // of its clock to the real one
	later atomic.Int64  // by which its clock was moved since, in ns
	setup fleetwork.Setup
	done  atomic.Int64 // orders carried out that are no answers
	taps  int64
	stop  func()
	leave func() // cancels what runs, and waits for nothing

	mu     sync.Mutex
	news   []string // what the person was told
	during func()   // is called while an order is carried out that is no answer, nil for nothing
}

func newMachine(t *testing.T, name string, ahead time.Duration) *machine {
	t.Helper()
	m := &machine{t: t, name: name, dir: t.TempDir(), ahead: ahead}
	m.start()
	t.Cleanup(func() { m.end() })
	return m
}

func (m *machine) now() time.Time { return time.Now().Add(m.ahead + time.Duration(m.later.Load())) }

// pass lets time pass on this machine.
func (m *machine) pass(d time.Duration) {
	m.t.Helper()
	m.later.Add(int64(d))
	m.ok(m.Tick())
	m.ok(m.Forget())
}

func (m *machine) ok(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%s: %v", m.name, err)
	}
}

func (m *machine) database() string { return filepath.Join(m.dir, "afar.db") }
func (m *machine) keys() string     { return filepath.Join(m.dir, "fleet") }

// start begins what a coordinator of this machine runs.
func (m *machine) start() {
	m.t.Helper()
	var err error
	m.store, err = store.Open(m.database())
	m.ok(err)
	set, err := m.store.Settings()
	m.ok(err)
	self := set.Fleet.Self
	channels := map[fleet.Role][]string{fleet.None: {phone}, fleet.Hub: {phone}, fleet.Member: {fleet.Channel}}
	log := slog.New(slog.DiscardHandler)
	m.Core, err = feature.New(core.Config{
		Store: m.store, Log: log, Now: m.now, Secret: random.Word, Channels: channels[self.Role],
	})
	m.ok(err)
	m.setup = fleetwork.Setup{
		Core: m.Core, Dir: m.keys(), Version: "1", Machine: m.name,
	}
	work := []func(context.Context){m.Core.Run, func(ctx context.Context) { m.Work(ctx, phone, m.tell) }}
	var keys *link.Keys
	if self.Role != fleet.None {
		keys, err = link.LoadKeys(m.keys())
		m.ok(err)
	}
	switch self.Role {
	case fleet.Hub:
		carrier, err := fleetwork.LinkServer(self, serverDir(), m.keys())
		m.ok(err)
		m.setup.Hub, err = fleetwork.New(fleetwork.Config{
			Core: m.Core, Log: log, Version: "1", Self: self, Keys: keys, Server: carrier,
			Person: func() string { return "Ann" },
		})
		m.ok(err)
		m.setup.Link = m.setup.Hub.State
		work = append(work, m.setup.Hub.Run)
	case fleet.Member:
		ch, err := hub.New(hub.Config{
			Core: m.Core, Log: log, Version: "1", Self: self, Keys: keys, Act: m.act,
			Do:    func(context.Context, string, string, any) (any, error) { return nil, nil },
			Place: func(ask.Ask) ask.From { return ask.From{} },
			Items: func() []fleet.Item { return nil },
		})
		m.ok(err)
		m.setup.Link, m.setup.Leaving = ch.State, ch.Leave
		work = append(work, ch.Run)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	for _, w := range work {
		parts.Go(func() { w(ctx) })
	}
	m.leave = cancel
	m.stop = func() {
		cancel()
		parts.Wait()
		m.ok(m.store.Close())
	}
}

// end ends it in order.
func (m *machine) end() {
	m.t.Helper()
	if m.stop != nil {
		m.stop()
	}
	m.stop = nil
}

func (m *machine) restart() { m.t.Helper(); m.end(); m.start() }

// act carries out what the hub sends.
func (m *machine) act(_ context.Context, act channel.Act, op string, in any) error {
	return m.Act(act, func(one *feature.Core) (s channel.Settlement, err error) {
		if op != channel.OpPress {
			m.done.Add(1)
			m.mu.Lock()
			during := m.during
			m.mu.Unlock()
			if during != nil {
				during()
			}
			return channel.Settlement{Reply: &channel.Reply{Op: op, Body: json.RawMessage(`{}`)}}, nil
		}
		told, err := one.Press(in.(core.Press))
		if told.Worded != nil {
			s.Text, s.Refused = told.Words(), channel.IsRefusal(told.Worded)
		}
		return s, err
	})
}

// meanwhile has f called while an order is carried out that is no answer.
func (m *machine) meanwhile(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.during = f
}

// keep returns a copy of the database, and back puts it back. The machine does not run.
func (m *machine) keep() (back func()) {
	m.t.Helper()
	kept := map[string][]byte{}
	for _, name := range m.files() {
		raw, err := os.ReadFile(name)
		m.ok(err)
		kept[name] = raw
	}
	return func() {
		m.t.Helper()
		for _, name := range m.files() {
			m.ok(os.Remove(name))
		}
		for name, raw := range kept {
			m.ok(os.WriteFile(name, raw, 0o600))
		}
	}
}

func (m *machine) files() []string {
	all, err := filepath.Glob(m.database() + "*")
	m.ok(err)
	return all
}

// A pair is a hub with Ann's phone, and a member.
type pair struct {
	t           *testing.T
	desk, build *machine
}

// newPair returns a hub and a member whose clocks are ahead of the real one.
func newPair(t *testing.T, desk, build time.Duration) *pair {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the server of the fleet, which the race detector does not see")
	}
	p := &pair{t: t, desk: newMachine(t, "desk", desk), build: newMachine(t, "build", build)}
	_, err := p.desk.setup.Serve(t.Context(), wire.FleetServeRequest{Listen: netproxy.FreeAddr(t)})
	p.desk.ok(err)
	p.desk.ok(p.desk.ChangeAccount(channel.Act{Channel: phone}, func(a channel.Account, at time.Time) channel.Change {
		a.Person = &channel.Person{ID: "1", Address: "1", Name: "Ann", At: at}
		return channel.Change{Account: &a}
	}))
	p.desk.restart()
	p.eventually("the hub serves", func() bool { return p.desk.setup.State() == "" })
	p.joins(p.build, p.invite("build"))
	return p
}

func (p *pair) invite(name string) string {
	p.t.Helper()
	made, err := p.desk.setup.Invite(wire.FleetInviteRequest{Name: name, Decides: true})
	p.desk.ok(err)
	return made.Word
}

// joins makes a machine a member. Its person is away, so each question goes to the hub at once.
func (p *pair) joins(m *machine, word string) {
	p.t.Helper()
	_, err := m.setup.Join(p.t.Context(), wire.FleetJoinRequest{Word: word})
	m.ok(err)
	m.restart()
	m.ok(m.SetAway("", session.On, 0))
	p.together(m)
}

// together waits until hub and member have greeted each other.
func (p *pair) together(m *machine) {
	p.t.Helper()
	id := m.Fleet().ID
	p.eventually("together", func() bool {
		return p.desk.IsPresent(id) && m.Person(fleet.Channel) != nil && m.Mine().Life == known(p.desk, id).Life
	})
}

func known(hub *machine, id fleet.MachineID) fleet.Known {
	m, _ := hub.Machine(string(id)) // zero if it is none
	return m.Known
}

func (p *pair) eventually(what string, is func() bool) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("never: %s\ndesk: %s\nbuild: %s", what, p.desk.newest(), p.build.newest())
		}
	}
}

// newest returns the newest entries of the journal, for a test that failed.
func (m *machine) newest() string {
	var b strings.Builder
	if m.stop == nil {
		return "stopped"
	}
	events, _ := m.store.Journal(0, 15, "", true)
	for _, e := range events {
		fmt.Fprintf(&b, "\n  %d %s %s: %s", e.Seq, e.Kind, e.Subject, e.Text)
	}
	return b.String()
}

// asks has a session of a machine ask for a command.
func (m *machine) asks(command string) ask.ID {
	m.t.Helper()
	_, err := m.See(session.Sighting{
		ID: "s", Cwd: "/p", Client: os.Getpid(), Attended: true, KnowAtt: true, Hooked: true, Starts: true, State: session.Working,
	})
	m.ok(err)
	a, err := m.OpenCovered(ask.Ask{
		ID: ask.ID(random.Word()), Kind: ask.Permission, Session: "s", Tool: "Bash", Text: command, Attended: true,
		Hash: strings.Repeat("0", 64),
	}, grant.Need{})
	m.ok(err)
	return a.ID
}

// shown waits until the hub has a question, and returns it.
func (p *pair) shown(of *machine, id ask.ID) (a ask.Ask) {
	p.t.Helper()
	p.eventually("the hub has the question", func() bool {
		a, _ = p.desk.Ask(ask.MirrorID(string(of.Fleet().ID), id)) // not yet, if it fails
		return a.Waiting()
	})
	return a
}

// taps has Ann allow a question at the hub.
func (p *pair) taps(a ask.Ask) {
	p.t.Helper()
	p.desk.taps++
	act := channel.Act{Channel: phone, Update: p.desk.taps, At: "1", Tap: fmt.Sprint(p.desk.taps), By: "Ann"}
	p.desk.ok(p.desk.Act(act, func(one *feature.Core) (channel.Settlement, error) {
		_, err := one.Press(core.Press{
			Act: act, Message: channel.MessageID(a.ID), Nonce: a.Nonce, Decision: ask.Decision{Allow: true, By: "Ann", Channel: phone},
		})
		return channel.Settlement{}, err
	}))
}

// answered waits until a question has Ann's answer at its own machine.
func (p *pair) answered(m *machine, id ask.ID) {
	p.t.Helper()
	p.eventually("the answer counts", func() bool {
		a, err := m.Ask(id)
		m.ok(err)
		return a.Decision != nil && a.Decision.Allow && a.Decision.By == "Ann"
	})
}

// question asks on a machine, answers at the hub, and waits for the answer.
func (p *pair) question(m *machine, command string) {
	p.t.Helper()
	id := m.asks(command)
	p.taps(p.shown(m, id))
	p.answered(m, id)
}

// tell plays the phone.
func (m *machine) tell(_ context.Context, a store.Action) error {
	text := a.Data
	if a.Kind == core.ActNotice {
		n, err := channel.ReadNotice(a.Data)
		if err != nil {
			return err
		}
		text = n.Plain()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, text)
	return nil
}

// told returns how often the hub's person was told something with text.
func (p *pair) told(text string) (n int) {
	p.desk.mu.Lock()
	defer p.desk.mu.Unlock()
	for _, said := range p.desk.news {
		n += strings.Count(said, text)
	}
	return n
}

// journalled returns how often a journal has an entry of a kind.
func (m *machine) journalled(kind event.Kind) (n int) {
	m.t.Helper()
	events, err := m.store.Newest([]event.Kind{kind}, 0, 0, 1000)
	m.ok(err)
	return len(events)
}

// TestForked checks that a machine that was put back to an earlier copy is known as such though it has written more
// than the other one has seen of it since: the numbers of its journal say nothing then.
func TestForked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"desk", "build"} {
		for ago, span := range map[string]time.Duration{"an hour": time.Hour, "a week": 8 * 24 * time.Hour} {
			t.Run(name+" "+ago, func(t *testing.T) {
				t.Parallel()
				newPair(t, 0, 0).forks(name, span)
			})
		}
	}
}

// forks puts a machine back to a copy of so long ago, which then goes on alone.
func (p *pair) forks(name string, ago time.Duration) {
	p.t.Helper()
	of, other := p.desk, p.build
	if name == "build" {
		of, other = p.build, p.desk
	}
	p.question(p.build, "make one")
	p.desk.end()
	p.build.end()
	back := of.keep()
	p.desk.start()
	p.build.start()
	p.together(p.build)
	p.question(p.build, "make two")
	p.question(p.build, "make three")
	p.desk.pass(ago)
	p.build.pass(ago)
	p.desk.end()
	p.build.end()
	back()
	of.start()
	for range 100 { // it goes on alone
		of.ok(of.Note(event.Refused, "", "", "alone"))
	}
	other.start()
	p.together(p.build)
	p.question(p.build, "make four")
	p.eventually("the person hears that it was put back", func() bool {
		return p.told(name+" was put back to an earlier copy") == 1
	})
}

// orders has the hub send an order to the member.
func (p *pair) orders() fleet.Order {
	p.t.Helper()
	o, err := p.desk.Order(fleet.Order{Machine: p.build.Fleet().ID, Op: "note", In: []byte("{}"), By: "Ann"})
	p.desk.ok(err)
	return o
}

// ended waits until the hub knows what an order came to, and returns it.
func (p *pair) ended(o fleet.Order) fleet.Order {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	o, ended := p.desk.AwaitOrder(ctx, o.ID())
	if !ended {
		p.t.Fatalf("the order waits: %+v", o)
	}
	return o
}

// TestNotDoneTwice checks that a member that carried out an order, died before it could say so and was put back to a copy
// from before does not carry it out again.
func TestNotDoneTwice(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	p.build.end()
	back := p.build.keep()
	p.build.start()
	p.together(p.build)
	p.question(p.build, "make one") // the hub sees more of it than the copy has
	p.build.meanwhile(p.build.leave)
	o := p.orders()
	p.eventually("it was carried out", func() bool { return p.build.done.Load() == 1 })
	p.build.meanwhile(nil)
	p.build.end()
	back()
	p.build.start()
	p.together(p.build)
	if o := p.ended(o); o.Reply == nil || !strings.Contains(o.Reply.Error, "put back") {
		t.Errorf("the order came to %+v", o.Reply)
	}
	p.ended(p.orders())
	if n := p.build.done.Load(); n != 2 {
		t.Errorf("two orders were carried out %d times", n)
	}
}

// TestAskedAnew checks that a question whose answer was on its way to a machine that was put back can be answered again.
func TestAskedAnew(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	id := p.build.asks("make one")
	first := p.shown(p.build, id)
	p.build.end()
	back := p.build.keep()
	p.build.start()
	p.together(p.build)
	p.question(p.build, "make two")
	p.build.end()
	p.taps(first)
	back()
	p.build.start()
	p.together(p.build)
	p.eventually("it can be answered", func() bool {
		a, err := p.desk.Ask(first.ID)
		p.desk.ok(err)
		return a.Waiting() && a.From.Sent == ""
	})
	if a, _ := p.build.Ask(id); a.Decision != nil {
		t.Errorf("an answer from before counts: %+v", a.Decision)
	}
	p.taps(first)
	p.answered(p.build, id)
}

// TestClocks checks that machines whose clocks are a day apart work, that the person sees the times of a question by the
// hub's clock, and that the doctor says so on both.
func TestClocks(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, off := range []time.Duration{day, -day} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			p := newPair(t, 0, off)
			id := p.build.asks("make one")
			there, err := p.build.Ask(id)
			p.build.ok(err)
			here := p.shown(p.build, id)
			for name, at := range map[string][2]time.Time{
				"opened": {there.OpenedAt, here.OpenedAt}, "expires": {there.ExpiresAt, here.ExpiresAt},
			} {
				if wrong := at[0].Sub(at[1]) - off; wrong.Abs() > 5*time.Second {
					t.Errorf("%s: %v there is %v here", name, at[0], at[1])
				}
			}
			p.taps(here)
			p.answered(p.build, id)
			p.eventually("the end is known", func() bool {
				a, err := p.desk.Ask(here.ID)
				p.desk.ok(err)
				return !a.Waiting()
			})
			p.desk.restart() // and neither forgets it
			p.build.restart()
			p.together(p.build)
			p.question(p.build, "make two")
			p.checks(p.desk, "off", "the clock of build differs by "+off.String(), "set both clocks")
			p.checks(p.build, "off", "the clock of desk differs by "+(-off).String(), "set both clocks")
		})
	}
}

// checks waits until the doctor of a machine says something about the fleet.
func (p *pair) checks(m *machine, state, text, fix string) {
	p.t.Helper()
	var all []wire.Check
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		all = m.setup.Checks()
		for _, c := range all {
			if c.State == state && strings.Contains(c.Text, text) && strings.Contains(c.Fix, fix) {
				return
			}
		}
	}
	p.t.Errorf("the doctor of %s does not say %s, %q with %q: %+v", m.name, state, text, fix, all)
}

// TestOldTell checks that what a member tells again after more than a week, because the hub's reply was lost, is told
// to the person once.
func TestOldTell(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	tell := fleet.Tell{Key: "k", Notice: channel.Notice{Text: "the build is green"}}
	for _, later := range []time.Duration{0, time.Hour, 8 * 24 * time.Hour} {
		p.desk.pass(later)
		p.desk.ok(p.desk.TellFrom(p.build.Fleet().ID, tell))
		p.eventually("it is told", func() bool { return p.told("the build is green") > 0 })
	}
	p.desk.restart()
	p.desk.ok(p.desk.TellFrom(p.build.Fleet().ID, tell))
	p.desk.ok(p.desk.TellFrom(p.build.Fleet().ID, fleet.Tell{Key: "l", Notice: channel.Notice{Text: "that is all"}}))
	p.eventually("all is told", func() bool { return p.told("that is all") == 1 })
	if n := p.told("the build is green"); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}

// TestReinstalled checks that a machine that comes back without its database and with its keys is the same machine, which
// uses its invite up, and that one without keys is another one that gets the old name once the old one is removed.
func TestReinstalled(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	id := p.build.asks("make one")
	p.shown(p.build, id)
	p.build.end()
	for _, name := range p.build.files() {
		p.build.ok(os.Remove(name))
	}
	p.build.start()
	word := p.invite("other")
	p.joins(p.build, word)
	p.question(p.build, "make two")
	if all := p.desk.Machines(); len(all) != 1 || all[0].Name != "other" || !all[0].Named("build") {
		t.Errorf("the machines: %+v", all)
	}
	p.eventually("the question of before is over", func() bool {
		return len(p.desk.OpenMirrors(p.build.Fleet().ID)) == 0
	})
	thief := newMachine(t, "thief", 0)
	if out, err := thief.setup.Join(t.Context(), wire.FleetJoinRequest{Word: word}); err == nil {
		t.Errorf("the invite was good for a second machine: %+v", out)
	}

	p.build.end()
	p.desk.ok(func() error {
		_, err := p.desk.ChangeMachine(p.build.id(), "removed", channel.News{}, func(m *fleet.Machine, _ time.Time) error {
			m.Removed = true
			return nil
		})
		return err
	}())
	again := newMachine(t, "build", 0)
	p.joins(again, p.invite("build"))
	p.question(again, "make three")
	m, err := p.desk.Machine("build")
	p.desk.ok(err)
	if m.ID != again.Fleet().ID {
		t.Errorf("build is %s, want %s", m.ID, again.Fleet().ID)
	}
	p.build.start()
	p.eventually("the old one is refused", func() bool {
		return strings.Contains(p.build.setup.State(), "the key is refused")
	})
	if p.desk.IsPresent(p.build.Fleet().ID) {
		t.Error("the old one is connected")
	}
}

// id returns the fingerprint of a machine, whether it runs or not.
func (m *machine) id() fleet.MachineID {
	m.t.Helper()
	keys, err := link.LoadKeys(m.keys())
	m.ok(err)
	return fleet.MachineID(keys.ID())
}

// TestOnce checks that an order is carried out once though it comes while the member deals with what it had before.
func TestOnce(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	p.build.meanwhile(func() { time.Sleep(2 * time.Millisecond) }) // it takes its time, so they meet
	all := 0
	for range 5 {
		p.build.end()
		for range 6 {
			p.orders()
			all++
		}
		p.build.start()
		p.ended(p.orders())
		all++
	}
	if n := p.build.done.Load(); n != int64(all) {
		t.Errorf("%d orders were carried out %d times", all, n)
	}
}

// TestNotPutBack checks that no machine is taken for one that was put back because it, or the link, was away: an order
// that waits gets there.
func TestNotPutBack(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	for range 3 {
		p.question(p.build, "make one")
		p.build.end()
		o := p.orders()
		p.build.start()
		p.ended(o)
		p.desk.restart()
		p.together(p.build)
	}
	if n := p.build.done.Load(); n != 3 {
		t.Errorf("3 orders were carried out %d times", n)
	}
	for _, m := range []*machine{p.desk, p.build} {
		if n := m.journalled(event.FleetPutBack); n > 0 {
			t.Errorf("%s was put back %d times: %s", m.name, n, m.newest())
		}
	}
}

// TestChecks checks what the doctor says of a fleet, on both sides, with the way out of each fault.
func TestChecks(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	addr := p.desk.Fleet().Listen
	p.checks(p.desk, "ok", "this machine is desk, the hub", "")
	p.checks(p.desk, "ok", "build is connected since "+time.Now().Local().Format("Jan 2"), "")
	p.checks(p.build, "ok", "this machine is build, connected to the hub desk since "+time.Now().Local().Format("Jan 2"), "")
	if all := append(p.desk.setup.Checks(), p.build.setup.Checks()...); len(all) != 3 {
		t.Errorf("a sound fleet: %+v", all)
	}

	lab := newMachine(t, "lab", 0)
	_, err := lab.setup.Join(t.Context(), wire.FleetJoinRequest{Word: p.invite("lab")})
	lab.ok(err)
	if all := lab.setup.Checks(); len(all) > 0 {
		t.Errorf("a machine that is to start again as a member: %+v", all)
	}

	p.build.end()
	p.orders()
	p.checks(p.desk, "off", "build is not reachable; what is shown of it is of ", "afar doctor, there")
	p.checks(p.desk, "off", "; 1 on the way to it", "see that it is on")
	p.checks(p.desk, "off", "this hub listens at "+addr+", which other machines reach by ssh alone", "ssh -N -R "+addr[10:]+":"+addr)
	p.build.start()
	p.together(p.build)

	p.desk.end()
	p.checks(p.build, "bad", "the hub desk is not reached: ", "see that "+addr+" is reached from here")
	id := p.build.asks("make one")
	p.checks(p.build, "bad", " waiting for it", "see that")
	occupied, err := net.Listen("tcp", addr)
	p.build.ok(err)
	p.desk.start()
	p.checks(p.desk, "bad", "no machine can reach this hub: the server of the fleet: ", "afar fleet serve --listen")
	p.desk.ok(occupied.Close())
	p.together(p.build)
	p.shown(p.build, id)

	p.desk.end() // another one with the same keys and another certificate
	for _, name := range []string{"cert.pem", "cert-key.pem"} {
		p.desk.ok(os.Remove(filepath.Join(p.desk.keys(), name)))
	}
	p.desk.start()
	p.checks(p.build, "bad", "the certificate is not the pinned one", "if you did that, afar fleet leave here")
}

// TestDoubled checks that two machines with one key are both refused, that the person hears it once, and that the doctors
// say so with the way out, after which both are members of their own.
func TestDoubled(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	p.question(p.build, "make one")
	p.build.end()
	copied := newMachine(t, "copy", 0)
	copied.end()
	copied.ok(os.RemoveAll(copied.dir))
	copied.ok(os.CopyFS(copied.dir, os.DirFS(p.build.dir)))
	p.build.start()
	p.together(p.build)
	copied.start()
	both := []*machine{p.build, copied}
	for _, m := range both {
		p.checks(m, "bad", "the key is refused", "another one speaks with its key: afar fleet leave here")
	}
	p.checks(p.desk, "bad", "two machines speak with the key of build", "afar fleet remove build")
	p.eventually("the person hears it", func() bool { return p.told("Two machines speak with the key of build") == 1 })
	for _, m := range both {
		id := m.asks("make two")
		if _, err := p.desk.Ask(ask.MirrorID(string(m.id()), id)); err == nil {
			t.Error("the hub has a question of a machine that is refused")
		}
	}
	_, err := p.desk.ChangeMachine(p.build.id(), "removed", channel.News{}, func(m *fleet.Machine, _ time.Time) error {
		m.Removed = true
		return nil
	})
	p.desk.ok(err)
	for _, m := range both {
		m.ok(m.setup.Leave(t.Context()))
		m.restart()
		p.joins(m, p.invite(m.name))
		p.question(m, "make three")
	}
	if p.build.id() == copied.id() {
		t.Error("both have one key again")
	}
}

// TestNothingKept checks that the hub's server keeps nothing: what lies in its folder are the keys and the certificate.
func TestNothingKept(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	p.question(p.build, "make one")
	var names []string
	all, err := os.ReadDir(p.desk.keys())
	p.desk.ok(err)
	for _, f := range all {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); got != "box.nkey cert-key.pem cert.pem sign.nkey" {
		t.Errorf("the folder of the fleet holds %s", got)
	}
}

// TestTwoHubs checks that the person hears that a copy of the hub speaks with its key.
func TestTwoHubs(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	p.desk.ok(p.desk.TwoHubs())
	p.eventually("the person hears it", func() bool { return p.told("Two hubs speak with the key of desk") == 1 })
}

// TestStolen checks that a second machine with a word is refused while the first one has it, that the journal says so, and
// that an invite is over after five bad requests, also for a hub that starts again.
func TestStolen(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	joins := func(m *machine, word string) error {
		_, err := m.setup.Join(t.Context(), wire.FleetJoinRequest{Word: word})
		return err
	}
	word := p.invite("lab")
	lab, thief := newMachine(t, "lab", 0), newMachine(t, "thief", 0)
	lab.ok(joins(lab, word))
	if err := joins(thief, word); err == nil {
		t.Error("a word was good for a second machine")
	}
	p.eventually("the journal says so", func() bool { return p.desk.journalled(event.FleetRefused) == 1 })
	lab.restart()
	lab.ok(lab.SetAway("", session.On, 0))
	p.together(lab)
	p.question(lab, "make one")

	_, err := p.desk.ChangeMachine(lab.id(), "removed", channel.News{}, func(m *fleet.Machine, _ time.Time) error {
		m.Removed = true
		return nil
	})
	p.desk.ok(err)
	word = p.invite("lab")
	for range 5 {
		if err := joins(lab, word); err == nil {
			t.Error("a machine that was removed joined with its old key")
		}
	}
	p.eventually("the invite is over", func() bool { return len(p.desk.Fleet().Invites) == 2 }) // those that were used
	p.desk.restart()
	p.eventually("the hub serves", func() bool { return p.desk.setup.State() == "" })
	if err := joins(thief, word); err == nil {
		t.Error("an invite was good after five bad requests")
	}
}

// TestEvilMember checks that a member that says what it likes, in a session of its own, changes nothing of another one.
func TestEvilMember(t *testing.T) {
	t.Parallel()
	p := newPair(t, 0, 0)
	evil := newMachine(t, "evil", 0)
	p.joins(evil, p.invite("evil"))
	evil.end()
	self := func() fleet.Self { evil.start(); defer evil.end(); return evil.Fleet().Self }()
	keys, err := link.LoadKeys(evil.keys())
	evil.ok(err)
	m, err := link.NewMember(link.MemberConfig{
		Config: link.Config{Fleet: self.Fleet, Keys: keys, Handle: func(context.Context, string, string, []byte) ([]byte, error) {
			return []byte("{}"), nil
		}},
		Addrs: self.Addrs, Pin: self.Pin, Hub: link.Public(self.Hub),
	})
	evil.ok(err)
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = m.Run(ctx) })
	defer run.Wait()
	defer cancel()
	p.eventually("it is connected", func() bool { return m.State().Connected })

	id := p.build.asks("make one")
	theirs := p.shown(p.build, id)
	p.build.end()
	o := p.orders()
	p.desk.ok(p.desk.Mirror(p.build.id(), []fleet.Item{{Name: "session s", Hash: "h", Body: []byte(`{"token":"s"}`)}}, nil))
	build := string(p.build.id())
	forged := ask.Ask{ID: theirs.ID, State: ask.Delivered, Kind: ask.Permission, Tool: "Bash", Hash: theirs.Hash, Nonce: theirs.Nonce}
	inner := forged
	inner.ID = theirs.From.Ref
	from := ask.From{Machine: build, Name: "build", Ref: theirs.From.Ref, Decides: true}
	settled := fleet.Settled{Number: o.Number, Life: p.desk.Mine().Life, What: channel.Settlement{Text: "done"}}
	for _, say := range []struct {
		kind string
		body any
	}{
		{fleet.MsgCard, fleet.Card{Asks: []ask.Ask{forged, inner}, From: from}},
		{fleet.MsgSettled, settled},
		{fleet.MsgMirror, fleet.Shown{Gone: []string{"session s", build + " session s", "../" + build + " session s"}}},
		{fleet.MsgMirror, fleet.Shown{Items: []fleet.Item{{Name: "session s", Hash: "x", Body: []byte(`{"token":"evil"}`)}}}},
		{fleet.MsgMirror, fleet.Shown{Digests: map[string]string{}}},
		{fleet.MsgHello, fleet.Hello{Person: "Eve", You: "build", Decides: true, Cards: []ask.ID{theirs.From.Ref}}},
		{fleet.MsgOrder, fleet.Sent{Life: p.desk.Mine().Life, Number: 1, Op: "press", By: "Eve"}},
		{fleet.MsgDo, fleet.Do{Op: "status", By: "Eve"}},
		{fleet.MsgTell, fleet.Tell{Key: "k", Notice: channel.Notice{At: "2", Session: "s@" + "x", Text: "from Eve"}}},
		{fleet.MsgTell, []int{1}}, {fleet.MsgHello, "x"}, {fleet.MsgCard, map[string]any{"asks": 1}}, {"odd", nil},
	} {
		raw, err := fleet.Say(fleet.Known{Life: p.desk.Mine().Life, Entry: 1 << 60, Mark: "x"}, say.body)
		evil.ok(err)
		_, err = m.Call(ctx, say.kind, raw)
		if isHubs := say.kind == fleet.MsgOrder || say.kind == fleet.MsgDo || say.kind == "odd"; isHubs && err == nil {
			t.Errorf("the hub takes a %s of a member", say.kind)
		}
	}
	for _, raw := range []string{"", "{", "[]", "null", `{"body":null}`, strings.Repeat("[", 100_000)} {
		for _, kind := range []string{fleet.MsgHello, fleet.MsgCard, fleet.MsgTell, fleet.MsgSettled, fleet.MsgMirror} {
			_, _ = m.Call(ctx, kind, []byte(raw)) // it may be refused; the hub goes on
		}
	}
	if a, err := p.desk.Ask(theirs.ID); err != nil || !a.Waiting() || a.Nonce != theirs.Nonce || a.From.Name != "build" {
		t.Errorf("the question of build: %+v, %v", a, err)
	}
	isIt := func(waits fleet.Order) bool { return waits.ID() == o.ID() }
	if !slices.ContainsFunc(p.desk.Waiting(o.Machine), isIt) {
		t.Error("the order for build does not wait any more")
	}
	if have := p.desk.Mirrored(p.build.id()); have["session s"] != "h" {
		t.Errorf("what build shows: %v", have)
	}
	if a := p.desk.Account(phone); a.Person == nil || a.Person.Name != "Ann" {
		t.Errorf("the phone is of %+v", a.Person)
	}
	p.eventually("what it tells has its name", func() bool { return p.told("evil · from Eve") == 1 })
	p.build.start()
	p.together(p.build)
	p.ended(o)
	p.taps(theirs)
	p.answered(p.build, id)
}
