package telegram

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	ops "github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// Tests run in parallel, except those that stop a stand-in: another stand-in may get its port,
// and a bot would then talk to the wrong one.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they wait for the second between two messages more than they compute
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for something that must happen.
const patience = time.Minute

const code = "123456"

// A rig is a channel over a real core and the stand-in for Telegram.
type rig struct {
	testing.TB
	dir        string
	ctx        context.Context
	api        *botapi.Server
	ann        *botapi.User
	log        *logbook
	later      atomic.Int64 // how far the clock was moved
	rules      core.Rules   // of the next start
	remindChat int64        // of the next start
	others     []string     // other channels, of the next start
	answers    []string     // the channels that count, of the next start; nil for all

	store *store.Store
	core  *feature.Core
	ch    *Channel
	stop  func()
}

// newRig returns a rig whose channel is connected and runs.
func newRig(t testing.TB) *rig {
	r := newStillRig(t)
	if _, err := r.ch.Connect(r.ctx, r.api.Token(), r.api.URL()); err != nil {
		t.Fatal(err)
	}
	r.run()
	if err := r.api.AwaitPoll(r.ctx); err != nil {
		t.Fatal(err)
	}
	return r
}

// newStillRig returns a rig whose channel has no bot and does not run.
func newStillRig(t testing.TB) *rig {
	t.Helper()
	return newRigIn(t, t.TempDir())
}

// newRigIn returns a rig whose files are in a directory.
func newRigIn(t testing.TB, dir string) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	r := &rig{TB: t, dir: dir, ctx: ctx, api: botapi.New(t), log: &logbook{}, stop: func() {}}
	r.ann = r.api.User(11, "Ann")
	r.open()
	t.Cleanup(func() { r.close() })
	return r
}

func (r *rig) now() time.Time { return time.Now().Add(time.Duration(r.later.Load())) }

// open starts the parts that a coordinator would start: the store, the core and the channel.
func (r *rig) open() {
	r.Helper()
	logger := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if r.store, err = store.Open(r.path("afar.db")); err != nil {
		r.Fatal(err)
	}
	r.core, err = feature.New(core.Config{
		Store:    r.store,
		Log:      logger,
		Now:      r.now,
		Secret:   secretWord,
		Channels: append([]string{Name}, r.others...),
		Rules:    r.rules,

		AnswersFrom: r.answers,
	})
	if err != nil {
		r.Fatal(err)
	}
	r.ch = New(Config{
		Core: r.core, Log: logger, TokenFile: r.path("telegram.token"), ConfigFile: r.path("config.toml"),
		Machine: "lab", Home: "/home/ann", Now: r.now,
		Code: func() string { return code }, RemindChat: r.remindChat,
	})
	r.serve(noun.Config{
		Parts: noun.Parts{Runs: runsIn("auto")},
		Tasks: taskwork.NewFolders(r.path("tasks"), r.path("confirms"), time.UTC),
	})
	r.ch.pace.first = 10 * time.Millisecond
	r.ch.pace.conflict = 20 * time.Millisecond
	r.ch.pace.probe = time.Second
}

// noPage is a page that is switched off.
type noPage struct{ noun.Page }

func (noPage) Link(string) (address, where string) { return "", "" }

// serve puts a server behind the bot.
func (r *rig) serve(cfg noun.Config) {
	cfg.Page, cfg.Glance = noPage{}, func(string) usage.Glance { return usage.Glance{} }
	s := ops.New(ops.Config{
		Core: r.core, Log: slog.New(slog.DiscardHandler), Place: cfg.Place, Door: door.Config{Marks: func() {}}, Noun: cfg,
	})
	r.ch.cfg.Act, r.ch.cfg.Call = s.Act, s.Phone
}

// runsIn returns settings for runs of Claude Code.
func runsIn(mode string) noun.Runs {
	return noun.Runs{Max: 3, Mode: mode, Agent: func(string) (agents.Settings, error) {
		return agents.Settings{Protocol: "claude", Command: []string{"claude"}}, nil
	}}
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	ch := r.ch
	wg.Go(func() { ch.Run(ctx) })
	r.stop = func() { cancel(); wg.Wait() }
}

func (r *rig) close() {
	r.stop()
	r.stop = func() {}
	if err := r.store.Close(); err != nil {
		r.Error(err)
	}
}

// restart ends the coordinator and starts it again.
func (r *rig) restart() {
	r.close()
	r.open()
	r.run()
}

// pair pairs ann and waits until she was told so.
func (r *rig) pair() {
	r.Helper()
	if _, _, err := r.ch.StartPairing(); err != nil {
		r.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/start "+code)
	r.await("Paired with Ann")
	r.eventually("the bot knows that it could say so", func() bool { return r.core.Account(Name).Newest != "" })
}

// settled waits until the bot has handled everything that people did so far.
func (r *rig) settled() {
	r.Helper()
	if err := r.api.AwaitConfirmed(r.ctx); err != nil {
		r.Fatal(err)
	}
}

// await returns the bot's first message that contains text.
func (r *rig) await(text string) botapi.Message {
	r.Helper()
	m, err := r.api.Await(r.ctx, func(m botapi.Message) bool { return strings.Contains(m.Text, text) })
	if err != nil {
		r.Fatalf("%v\nlog:\n%s", err, r.log)
	}
	return m
}

// awaitAnswer returns the answer to one tap.
func (r *rig) awaitAnswer(query string) string {
	r.Helper()
	a, err := r.api.AwaitAnswer(r.ctx, func(a botapi.CallbackAnswer) bool { return a.QueryID == query })
	if err != nil {
		r.Fatalf("%v\nlog:\n%s", err, r.log)
	}
	return a.Text
}

func (r *rig) tap(u *botapi.User, message int, button string) string {
	r.Helper()
	query, err := u.TapLate(message, button)
	if err != nil {
		r.Fatal(err)
	}
	return query
}

// quietly runs an act and fails if the bot then sends or changes anything.
func (r *rig) quietly(what string, act func()) {
	r.Helper()
	before := len(r.api.Calls())
	act()
	r.settled()
	if calls := r.api.Calls()[before:]; len(calls) > 0 {
		r.Errorf("%s: the bot did %+v", what, calls)
	}
}

// ask opens an ask of an attended session whose person is away.
func (r *rig) ask(id, command string) ask.Ask {
	r.Helper()
	_, err := r.core.See(session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true})
	if err == nil {
		err = r.core.SetAway("", session.On, 0)
	}
	if err != nil {
		r.Fatal(err)
	}
	a, err := r.core.OpenCovered(ask.Ask{
		ID: ask.ID(id), Kind: ask.Permission, Session: "s1", Tool: "Bash", Text: command,
		Hash: fmt.Sprintf("%x", command), Cwd: "/home/ann/shop", Attended: true,
	}, grant.Need{})
	if err != nil {
		r.Fatal(err)
	}
	return a
}

// card opens an ask and returns it with its card.
func (r *rig) card(id, command string) (ask.Ask, botapi.Message) {
	r.Helper()
	a := r.ask(id, command)
	return a, r.await(command)
}

func (r *rig) state(id ask.ID) ask.Ask {
	r.Helper()
	a, err := r.core.Ask(id)
	if err != nil {
		r.Fatal(err)
	}
	return a
}

// sql runs a statement on the database without the knowledge of the store.
func (r *rig) sql(statement string) {
	r.Helper()
	db, err := sql.Open("sqlite", "file:"+r.path("afar.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		r.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		r.Fatal(err)
	}
}

func secretWord() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// A logbook collects the log and lets a test wait for a line.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// outage makes the API unreachable and waits until that has an effect. Otherwise an open
// connection could be used once more, and what was written to it could have been sent.
func (r *rig) outage() {
	r.Helper()
	r.api.Stop()
	r.eventually("the outage shows", func() bool { return r.ch.Status().Failing != "" })
}

// idle waits until all actions of the channel are carried out.
func (r *rig) idle() {
	r.Helper()
	r.eventually("all actions are carried out", func() bool {
		_, found, later, err := r.store.Due(Name, r.now(), time.UnixMilli(0), "")
		return err == nil && !found && later.IsZero()
	})
}

// eventually calls cond until it returns true. It is for conditions that send no signal.
func (r *rig) eventually(what string, cond func() bool) {
	r.Helper()
	for !cond() {
		select {
		case <-r.ctx.Done():
			r.Fatalf("never: %s\nlog:\n%s", what, r.log)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
