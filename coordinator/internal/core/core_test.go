package core_test

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A rig is a core over a real store, with a clock that only the test moves.
type rig struct {
	*feature.Core
	t     testing.TB
	store *store.Store
	path  string

	mu     sync.Mutex
	now    time.Time
	clock  func() time.Time // instead of now, where the test runs in a bubble
	secret int
	rules  core.Rules
	home   string

	dead   map[session.Process]bool // the processes that have ended
	silent bool                     // no channel rings
	zones  trigger.Zones            // nil for the usual ones
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, path: filepath.Join(t.TempDir(), "afar.db"), now: t0, dead: map[session.Process]bool{}}
	r.open()
	t.Cleanup(func() { r.store.Close() })
	return r
}

func (r *rig) open() {
	r.t.Helper()
	var err error
	if r.store, err = store.Open(r.path); err != nil {
		r.t.Fatal(err)
	}
	r.Core, err = feature.New(core.Config{
		Store: r.store, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: r.time, Secret: r.word,
		Channels: []string{phone}, Rules: r.rules, Home: r.home,
		Lives: func(p session.Process) bool { return !r.dead[p] },
		Rings: func(string) bool { return !r.silent },
		Zones: r.zones,
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// restart closes the store and opens the same file again.
func (r *rig) restart() {
	r.t.Helper()
	if err := r.store.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.open()
}

func (r *rig) time() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.clock != nil {
		return r.clock()
	}
	return r.now
}

// pass lets time pass and applies everything that becomes due.
func (r *rig) pass(d time.Duration) {
	r.t.Helper()
	r.mu.Lock()
	r.now = r.now.Add(d)
	r.mu.Unlock()
	r.ok(r.Tick())
}

func (r *rig) word() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret++
	return fmt.Sprintf("%016x", r.secret)
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// raw runs SQL without the knowledge of the core.
func (r *rig) raw(query string) {
	r.t.Helper()
	db, err := sql.Open("sqlite", r.path)
	r.ok(err)
	defer db.Close()
	_, err = db.Exec(query)
	r.ok(err)
}

// see registers a session with our hooks.
func (r *rig) see(id session.ID, cwd string) session.Session {
	r.t.Helper()
	v, err := r.See(session.Sighting{
		ID:       id,
		Cwd:      cwd,
		Client:   100 + len(id),
		Attended: true,
		KnowAtt:  true,
		Hooked:   true,
		Starts:   true,
		State:    session.Working,
	})
	r.ok(err)
	return v
}

// phone is the name of the channel in these tests.
const phone = "phone"

// pair pairs Ada with the phone.
func (r *rig) pair() {
	r.t.Helper()
	r.ok(r.setPerson(&channel.Person{ID: "5", Address: "6", Name: "Ada", At: r.time()}))
	r.drain(phone)
}

func (r *rig) unpair() error { return r.setPerson(nil) }

func (r *rig) setPerson(p *channel.Person) error {
	return r.ChangeAccount(channel.Act{Channel: phone}, func(a channel.Account, _ time.Time) channel.Change {
		a.Person = p
		return channel.Change{Account: &a, Show: p != nil}
	})
}

// newAsk returns a permission ask of an attended session's main agent.
func newAsk(id, input string) ask.Ask {
	return ask.Ask{
		ID:       ask.ID(id),
		Kind:     ask.Permission,
		Session:  "s",
		Tool:     "Bash",
		Text:     input,
		Hash:     strings.Repeat(input, 64)[:64],
		Attended: true,
	}
}

func (r *rig) openAsk(a ask.Ask) ask.Ask {
	r.t.Helper()
	got, err := r.OpenCovered(a, grant.Need{})
	r.ok(err)
	return got
}

func (r *rig) state(id string, want ask.State) ask.Ask {
	r.t.Helper()
	a, err := r.Ask(ask.ID(id))
	r.ok(err)
	if a.State != want {
		r.t.Errorf("ask %s is %s (%s), want %s", id, a.State, a.Ending(), want)
	}
	return a
}

// drain marks every action of a lane that is due as done and returns them.
func (r *rig) drain(lane string) (out []store.Action) {
	r.t.Helper()
	for {
		a, ok, _, err := r.store.Due(lane, r.time(), time.UnixMilli(0), "")
		r.ok(err)
		if !ok {
			return out
		}
		r.ok(r.store.Done(a, ""))
		out = append(out, a)
	}
}

// kinds returns the journal's entries since an entry.
func (r *rig) kinds(after int64) (out []string) {
	r.t.Helper()
	events, err := r.store.Journal(after, 1000, "", false)
	r.ok(err)
	for _, e := range events {
		out = append(out, string(e.Kind)+" "+e.Subject)
	}
	return out
}

func (r *rig) head() int64 {
	r.t.Helper()
	events, err := r.store.Journal(0, 1, "", true)
	r.ok(err)
	return events[0].Seq
}

func (r *rig) same(what string, want, got any) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s: %s", what, diff)
	}
}

func yes(by string) ask.Decision { return ask.Decision{Allow: true, By: by, Channel: "terminal"} }

// TestFailedCommit checks that a call whose commit fails changes nothing.
func TestFailedCommit(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	_, err := r.StartLoop("s", loop.Options{Task: "t", Max: 3})
	r.ok(err)
	type all struct {
		Asks     []ask.Ask
		Sessions []session.Session
		Loops    []loop.Stack
		Settings store.Settings
		Changed  bool
	}
	changed := r.Subscribe(core.Anything)
	defer changed.Close()
	read := func() all {
		a := all{r.Asks(true), r.Sessions(), r.Loops(), r.Settings(), false}
		select {
		case <-changed.C:
			a.Changed = true
		default:
		}
		return a
	}
	before := read()
	r.store.Close()
	for name, f := range map[string]func() error{
		"See":            func() error { _, err := r.See(session.Sighting{ID: "s", Mode: "plan"}); return err },
		"EndSession":     func() error { return r.EndSession("s", "x") },
		"Typed":          func() error { return r.Typed("s", "") },
		"SetAway":        func() error { return r.SetAway("", session.On, 0) },
		"SetAway of one": func() error { return r.SetAway("s", session.On, 0) },
		"Pause":          func() error { return r.Pause(true) },
		"Note":           func() error { return r.Note(event.Refused, "", "", "x") },
		"OpenCovered":    func() error { _, err := r.OpenCovered(newAsk("b", "y"), grant.Need{}); return err },
		"Answer":         func() error { _, err := r.Answer("a", yes("Ada")); return err },
		"CancelAsk":      func() error { _, err := r.CancelAsk("a", "x"); return err },
		"LoseAsk":        func() error { _, err := r.LoseAsk("a"); return err },
		"LocallySettled": func() error { return r.LocallySettled("s", t0.Add(time.Hour)) },
		"Ran":            func() error { return r.Ran(ask.Outcome{Session: "s"}) },
		"Press": func() error {
			return r.press(core.Press{
				Act: channel.Act{Channel: phone, Update: 9}, Nonce: before.Asks[0].Nonce, Decision: yes("Ada"),
			})
		},
		"StartLoop":  func() error { _, err := r.StartLoop("s", loop.Options{Task: "u", Max: 1}); return err },
		"StopLoop":   func() error { _, err := r.StopLoop("s", loop.Stopping{}); return err },
		"CancelLoop": func() error { return r.CancelLoop("s", "Ada", "web") },
		"LimitLoop":  func() error { return r.LimitLoop("s", "x", true) },
		"Stop": func() error {
			_, err := r.Stop(core.Stopping{Session: "s", Shells: []string{"1"}})
			return err
		},
		"SetAnchor":     func() error { return r.SetAnchor("s", loop.AnchorFacts{}) },
		"ChangeAccount": func() error { return r.unpair() },
		"Acknowledge":   func() error { return r.Acknowledge(channel.Act{Channel: phone, Update: 3}, "x") },
		"Tick":          func() error { r.mu.Lock(); r.now = t0.Add(time.Minute); r.mu.Unlock(); return r.Tick() },
	} {
		if f() == nil {
			t.Errorf("%s says that it is done", name)
		}
		r.now = t0
		if diff := cmp.Diff(before, read()); diff != "" {
			t.Errorf("%s changed memory: %s", name, diff)
		}
	}
}

// TestBadRows checks that damaged rows are reported, that everything else works, and that no
// row causes a panic.
func TestBadRows(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	r.raw(`INSERT INTO sessions VALUES ('bad', 9e12, '{')`)
	r.raw(`INSERT INTO asks VALUES ('bad', 'open', 0, '[]')`)
	r.raw(`INSERT INTO asks VALUES ('bare', 'open', 0, '{"id":"bare","state":"open"}')`)
	r.raw(`INSERT INTO loops VALUES ('s', 9e12, '{"schema":"x"}')`)
	head := r.head()
	r.restart()
	r.same("journal", []string{
		"coordinator.started ", "store.damaged sessions bad", "store.damaged asks bad", "store.damaged loops s",
		"loop.ended p-" + r.Sessions()[0].Token[2:],
	}, r.kinds(head))
	if l := r.Loop("s"); l.Active() || l.Ended == nil || l.Ended.Verdict != loop.Failed {
		t.Errorf("the loop must have failed: %+v", l)
	}
	said := r.drain(phone)
	if len(said) != 1 || said[0].Kind != core.ActNotice || !strings.Contains(said[0].Data, "failed") {
		t.Errorf("the person is told once, with the verdict: %+v", said)
	}
	if out, err := r.StopLoop("s", loop.Stopping{}); out.Block != "" || err != nil {
		t.Errorf("the session must be let go: %q, %v", out.Block, err)
	}
	r.state("a", ask.Open)
	r.pass(time.Hour)
	r.state("bare", ask.Withdrawn)
	head = r.head()
	r.restart()
	r.same("a second start", []string{"coordinator.started ", "store.damaged sessions bad", "store.damaged asks bad"},
		r.kinds(head))
}

func TestSettingsAreRead(t *testing.T) {
	r := newRig(t)
	r.ok(r.SetAway("", session.On, time.Hour))
	r.ok(r.Pause(true))
	r.restart()
	if s := r.Settings(); s.Away.Mode != session.On || !s.Away.Until.Equal(t0.Add(time.Hour)) || !s.Paused {
		t.Errorf("after a restart: %+v", s)
	}
	r.pass(time.Hour)
	r.ok(r.Pause(false))
	if s := r.Settings(); s.Away != (session.Away{Mode: session.Auto}) || s.Paused {
		t.Errorf("what has ended is not shown with its end: %+v", s)
	}
}
