package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/link"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// What the largest fleet of one person has.
const (
	manyMachines  = 50
	manyReal      = 3    // coordinators of their own; the test plays the others
	manySessions  = 20   // of each machine
	manyQuestions = 1000 // open at once
)

var manyChanges = flag.Int("fleet-changes", 100_000, "what changes on the machines of BenchmarkFleetMany")

// BenchmarkFleetMany shows what 50 machines with 20 sessions each, 1,000 open questions and 100,000 changes cost a hub,
// beside the same hub without a member, in the same run. Too much is more than 120 MB together with its server, 100 ms
// for a page, and 300 ms for /status.
func BenchmarkFleetMany(b *testing.B) {
	for b.Loop() {
		r := newManyRig(b)
		empty := r.look()
		r.fill()
		began := time.Now()
		r.change()
		took := time.Since(began)
		full := r.look()
		b.ReportMetric(float64(*manyChanges)/took.Seconds(), "changes-per-s")
		for name, value := range full {
			b.ReportMetric(value, name)
			b.ReportMetric(value/empty[name], "x-"+name)
			b.Logf("%-16s empty %8.1f   full %8.1f   ratio %.1f", name, empty[name], value, value/empty[name])
		}
		b.Logf("%d changes in %.0f s", *manyChanges, took.Seconds())
	}
}

// A manyRig is a hub with Ann's phone and her page, and the machines that are played.
type manyRig struct {
	*fleetRig
	page    *site
	players []*player
}

func newManyRig(b testing.TB) *manyRig {
	b.Helper()
	r := &manyRig{fleetRig: &fleetRig{phone: newPhoneOn(b, pagedNest(b)), addr: netproxy.FreeAddr(b)}}
	r.afar("fleet", "serve", "--listen", r.addr, "--name", "desk")
	r.page = r.browser()
	return r
}

// look returns what the hub costs now: memory in MB, times in ms.
func (r *manyRig) look() map[string]float64 {
	r.drained()
	time.Sleep(6 * time.Second) // what is carried is committed, and the memory is at rest
	out := map[string]float64{}
	hub := r.aim().Pid
	out["MB-hub"], out["MB-server"] = rss(r.t, hub), rss(r.t, childOf(r.t, hub, "fleet-server"))
	out["MB"] = out["MB-hub"] + out["MB-server"]
	for name, path := range map[string]string{
		"now": "/", "inbox": "/inbox", "questions": "/questions", "sessions": "/sessions", "runs": "/runs", "machines": "/machines",
	} {
		out["ms-page-"+name] = r.times(25, func() {
			if got := r.page.send(request{path: path}); got.StatusCode != http.StatusOK {
				r.t.Fatalf("%s is %s", path, got.Status)
			}
		})
	}
	out["ms-status"] = r.times(25, r.drained)
	out["ms-afar-status"] = r.times(10, func() { r.afar("status") })
	out["ms-fleet-list"] = r.times(10, func() { r.afar("fleet", "list") })
	return out
}

// times returns how long something takes, in ms.
func (r *manyRig) times(n int, do func()) float64 {
	var took []time.Duration
	for range n {
		begun := time.Now()
		do()
		took = append(took, time.Since(begun))
	}
	return p50(took)
}

// drained asks for the status on the phone. It returns when the answer is there, which is sent last.
func (r *manyRig) drained() {
	r.t.Helper()
	begun := time.Now()
	r.ann.Say(annID, "/status")
	ctx, cancel := context.WithTimeout(r.t.Context(), 10*patience)
	defer cancel()
	_, err := r.bot.AwaitCall(ctx, func(c botapi.Call) bool {
		return c.At.After(begun) && c.Method == "sendMessage" && strings.Contains(c.Params["text"], "Open questions: ")
	})
	if err != nil {
		r.t.Fatalf("no answer to /status: %v\n%s", err, r.trail())
	}
}

// fill has all machines join, with their sessions and questions.
func (r *manyRig) fill() {
	for n := range manyReal {
		r.join(fmt.Sprint("real-", n)).hold(manySessions, manySessions)
	}
	for n := manyReal; n < manyMachines; n++ {
		r.players = append(r.players, r.play(fmt.Sprint("box-", n)))
	}
	r.each(func(p *player, _ int) {
		for n := range manySessions {
			p.sessions = append(p.sessions, p.session(n))
		}
	})
	for n := range manyQuestions {
		p := r.players[n%len(r.players)]
		p.asks = append(p.asks, p.ask(len(p.asks)))
	}
	r.each(func(p *player, _ int) { p.greet() })
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Second) {
		if open, sessions := r.totals(); open >= manyQuestions && sessions >= manyMachines*manySessions {
			return
		} else if time.Now().After(deadline) {
			r.t.Fatalf("the hub shows %d questions and %d sessions\n%s", open, sessions, r.trail())
		}
	}
}

// totals returns what the machines other than the hub show.
func (r *manyRig) totals() (open, sessions int) {
	var all wire.MachinesReply
	if err := json.Unmarshal([]byte(r.afar("fleet", "list", "--json")), &all); err != nil {
		r.t.Fatal(err)
	}
	for _, m := range all.Machines[1:] {
		open, sessions = open+m.OpenAsks, sessions+m.Sessions
	}
	return open, sessions
}

// each has all players do something at the same time.
func (r *manyRig) each(do func(p *player, n int)) {
	var all sync.WaitGroup
	for n, p := range r.players {
		all.Go(func() { do(p, n) })
	}
	all.Wait()
}

// change has the players change what they show. Of a hundred changes 89 are of a session; 9 end one and begin another; one
// settles a question and asks the next; one tells the person something.
func (r *manyRig) change() {
	each := *manyChanges / len(r.players)
	r.each(func(p *player, _ int) {
		for n := range each {
			switch i := n % 100; {
			case i == 0:
				p.settle(n / 100 % len(p.asks))
			case i == 50:
				key := fmt.Sprintf("%s:notice:%d:1", p.known.Life, n)
				p.call(fleet.MsgTell, fleet.Tell{Key: key, Notice: channel.Notice{Text: fmt.Sprint("The run nightly ended for the time ", n)}}, nil)
			case i%11 == 1:
				p.renew(n % manySessions)
			default:
				s := &p.sessions[n%manySessions]
				s.State, s.Since, s.Context = []string{"working", "idle"}[n%2], time.Now().UnixMilli(), int64(n)
				p.shows(fleet.Shown{Items: []fleet.Item{p.item(*s)}})
			}
		}
	})
}

// A player is a machine that the test plays over a real link.
type player struct {
	*link.Member
	t        testing.TB
	name     string
	known    fleet.Known
	sessions []wire.Session
	asks     []ask.Ask // the open ones
	made     int
}

// play has a player join the fleet, and connects it.
func (r *manyRig) play(name string) *player {
	r.t.Helper()
	word, err := link.ParseWord(wordOf(r.afar("fleet", "invite", "--name", name)))
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := link.LoadKeys(r.t.TempDir())
	if err != nil {
		r.t.Fatal(err)
	}
	joining, _ := json.Marshal(fleet.Joining{Name: name, Version: "1.0.0"}) // strings only
	if _, err := link.Join(r.t.Context(), word, keys, joining); err != nil {
		r.t.Fatal(err)
	}
	up := make(chan struct{}, 8)
	p := &player{t: r.t, name: name, known: fleet.Known{Life: "life-of-" + name, Entry: 1}}
	p.Member, err = link.NewMember(word.Member(link.Config{
		Fleet: word.Fleet, Keys: keys, Up: func(string) { up <- struct{}{} },
		Handle: func(context.Context, string, string, []byte) ([]byte, error) { return []byte("{}"), nil },
	}))
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { _ = p.Run(ctx) })
	r.t.Cleanup(func() { cancel(); run.Wait() })
	select {
	case <-up:
	case <-time.After(patience):
		r.t.Fatalf("%s does not get to the hub: %+v", name, p.State())
	}
	return p
}

// call tells the hub something, as a coordinator does.
func (p *player) call(kind string, body, out any) {
	raw, err := fleet.Say(p.known, body)
	if err != nil {
		p.t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply, err := p.Call(ctx, kind, raw)
	if err == nil && out != nil {
		err = fleet.Decode(kind, reply, out)
	}
	if err != nil {
		p.t.Errorf("%s says %s: %v", p.name, kind, err)
	}
}

func (p *player) shows(s fleet.Shown) {
	p.known.Entry++
	p.call(fleet.MsgMirror, s, nil)
}

// greet says hello, and shows the hub its cards and what it wants.
func (p *player) greet() {
	says := fleet.Hello{Known: p.known, Now: time.Now().UnixMilli()}
	says.Version = "1.0.0"
	for _, a := range p.asks {
		says.Cards = append(says.Cards, a.ID)
	}
	p.call(fleet.MsgHello, says, nil)
	for _, a := range p.asks {
		p.card(a)
	}
	all, items := fleet.Shown{Digests: map[string]string{}}, map[string]fleet.Item{}
	for _, s := range p.sessions {
		item := p.item(s)
		all.Digests[item.Name], items[item.Name] = item.Hash, item
	}
	var want fleet.Wanted
	p.call(fleet.MsgMirror, all, &want)
	for _, name := range want.Names {
		p.shows(fleet.Shown{Items: []fleet.Item{items[name]}})
	}
}

func (p *player) card(a ask.Ask) {
	p.known.Entry++
	from := ask.From{Session: "project-0a1b", Token: "project-0a1b", Project: a.Cwd, Label: "tmux work:1.0"}
	p.call(fleet.MsgCard, fleet.Card{Asks: []ask.Ask{a}, From: from}, nil)
}

// ask returns a question that opens now.
func (p *player) ask(n int) ask.Ask {
	p.made++
	now := time.Now()
	return ask.Ask{
		ID: ask.ID(fmt.Sprintf("ask_%s%08d", p.name, p.made)), Kind: ask.Permission, State: ask.Open,
		Session: session.ID(p.sessions[n%manySessions].ID), Tool: "Bash", Hash: fmt.Sprintf("%064x", p.made), Cwd: "/home/ann/project",
		Text: fmt.Sprintf("make target-%d && %s", p.made, strings.Repeat("x", 200)), Attended: true, Nonce: "",
		OpenedAt: now, ExpiresAt: now.Add(24 * time.Hour), CardAt: now, Shown: true,
	}
}

// settle says that an open question was answered at the machine, and asks another one.
func (p *player) settle(at int) {
	a := p.asks[at]
	a.State, a.SettledAt = ask.Delivered, time.Now()
	a.Decision = &ask.Decision{Allow: true, By: "Ann", Channel: "terminal", At: a.SettledAt}
	p.card(a)
	p.asks[at] = p.ask(at)
	p.card(p.asks[at])
}

// session returns a session that begins now.
func (p *player) session(n int) wire.Session {
	p.made++
	return wire.Session{
		ID: fmt.Sprintf("%08d-%s-4000-8000-000000000000", p.made, p.name), Token: fmt.Sprintf("project-%04x", p.made),
		Project: fmt.Sprintf("/home/ann/project-%d", n), Mode: "default", State: "working", Since: time.Now().UnixMilli(), Attended: true,
		Terminal: "tmux work:1.0", Protected: true, ClientPID: 4711, Entrypoint: "cli", About: "mend the clock in the tower, and see that it strikes",
		Model: "claude-opus-4-1", Context: 48_000, Running: "Bash make -j8 all", SpentUSD: 1.25,
	}
}

// renew ends a session and begins another one in its place.
func (p *player) renew(at int) {
	gone := p.item(p.sessions[at]).Name
	p.sessions[at] = p.session(at)
	p.shows(fleet.Shown{Items: []fleet.Item{p.item(p.sessions[at])}})
	p.shows(fleet.Shown{Gone: []string{gone}})
}

func (p *player) item(s wire.Session) fleet.Item {
	raw, _ := json.Marshal(s) // strings and numbers
	return fleet.Item{Name: fleet.OfSession + " " + s.ID, Hash: fmt.Sprint(s.Since, s.Context), Body: raw}
}

// childOf returns the process of a program that another process started.
func childOf(t testing.TB, parent int, program string) int {
	t.Helper()
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range all {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		head, rest, _ := strings.Cut(string(raw), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) && strings.Contains(head, "("+program) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			return pid
		}
	}
	t.Fatalf("process %d has no %s", parent, program)
	return 0
}
