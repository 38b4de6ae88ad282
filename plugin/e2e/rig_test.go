//go:build unix

// Package e2e tests the plugin on the real host: the pinned clients, the real
// binaries and a real coordinator, with stand-ins for the model and for Telegram's servers.
package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/wire"
)

// repository is the directory of go.mod.
const repository = "../.."

// root is the plugin root of the tests: the repository's plugin files, and binaries that are
// built from its source. It is independent of any installation.
var root string

// staged is the variable that names the plugin root to a test that runs in a process of its own.
const staged = "AFAR_TEST_STAGED"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		serveMCP()
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == fmt.Sprint(runtime.GOMAXPROCS(0)) {
		_ = f.Value.Set("5") // these tests wait for one another's programs more than they compute
	}
	if root = os.Getenv(staged); root != "" || !long.RunsInCI() {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "afar-plugin-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // a test runs as another user
	}
	if err == nil {
		root = dir
		err = stage(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stage the plugin:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := stray.Check(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func stage(dir string) error {
	for _, name := range []string{".claude-plugin", "plugin", "skills", "evals"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(repository, name))); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o",
		filepath.Join(dir, "bin")+"/", "github.com/afar-sh/afar/cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as install.sh does
	build.Stderr = os.Stderr
	return build.Run()
}

// bypass are the arguments of a client in the mode that does not ask.
var bypass = []string{"--permission-mode", "bypassPermissions"}

// play returns the prompt "go" with a script of turns.
func play(turns ...model.Turn) string { return "go " + model.Play(turns...) }

// clients are the newest and the oldest supported client, by the names of their subtests.
//
// The start of a client is by far the most expensive step of these tests, so one session does
// many things in turn (see rig.part). All tests run on the newest client. The oldest client
// runs approvals, questions, runs, loops and faults of the guard; the tests that use
// host.NeedLong run on it where all long tests run.
var clients = map[string]string{"current": host.Current, "oldest": host.Oldest}

// allClients also has the client between them. It runs the tests of what protects people if
// something fails: faults of the guard, waiting for the phone, updates of the plugin, and
// doctor --live.
var allClients = map[string]string{"current": host.Current, "previous": host.Previous, "oldest": host.Oldest}

// within bounds every wait of these tests. A loop of twelve turns can take half a minute on
// a busy machine.
const within = 90 * time.Second

// A rig is one person with a phone, one home, one coordinator and one client.
type rig struct {
	t     *testing.T
	lab   *host.Lab
	model *model.Server
	bot   *botapi.Server
	ann   *botapi.User
	home  string // AFAR_HOME
	bin   string // where our programs are

	isMember bool // its phone is that of another machine

	term *host.Terminal // of newSession

	since   int   // what the phone showed up to this message is an earlier part's
	counted int64 // and so is the journal up to this entry
}

const annID = 4711

// newRig starts everything and pairs the phone. The client's own rules allow the named
// tools.
func newRig(t *testing.T, client string, allowed ...string) *rig {
	t.Helper()
	return newRigOf(t, client, root, allowed...)
}

// newRigOf is newRig with another plugin.
func newRigOf(t *testing.T, client, plugin string, allowed ...string) *rig {
	t.Helper()
	return newRigAt(t, client, plugin, "off", allowed...)
}

// newRigAt is newRigOf with another address at which the client looks for Afar's page.
func newRigAt(t *testing.T, client, plugin, page string, allowed ...string) *rig {
	t.Helper()
	t.Parallel()
	bot := botapi.New(t)
	r := newMachine(t, bot, client, plugin, page, allowed...)
	r.must("start")
	r.pair()
	return r
}

// newMachine returns a rig without a coordinator.
func newMachine(t *testing.T, bot *botapi.Server, client, plugin, page string, allowed ...string) *rig {
	t.Helper()
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	home, err := os.MkdirTemp("", "afar-home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	r := &rig{t: t, model: m, bot: bot, ann: bot.User(annID, "Ann"), home: home, bin: filepath.Join(plugin, "bin")}
	t.Cleanup(r.stop) // after the client is gone
	r.lab = host.NewLab(t, client, m.URL(), host.Opts{
		PluginDir: plugin, Env: map[string]string{"AFAR_HOME": home, "AFAR_WEB_ADDR": page},
		Settings: map[string]any{"permissions": map[string]any{"allow": append([]string{}, allowed...)},
			// a spinner that nobody watches costs more than the rest of a turn
			"prefersReducedMotion": true, "spinnerTipsEnabled": false},
	})
	return r
}

// stop ends the coordinator and what the client left behind.
func (r *rig) stop() {
	r.afar("stop")
	stray.End(r.home)
}

// newSession returns a rig whose person is away, with one session in a terminal that does
// one thing after the other: see part. A stop does not hold the session.
func newSession(t *testing.T, client string, args ...string) *rig {
	t.Helper()
	r := newRig(t, client)
	r.configure("[checkin]\nhold = \"0s\"")
	r.must("away", "on")
	r.term = r.lab.Terminal(args...)
	return r
}

// part runs fn as a subtest that asks the rig's session for one more thing and leaves it at
// its free prompt. Earlier messages on the phone and earlier entries of the journal do not
// count. If a part fails, the test ends, because the state of the session is unknown.
func (r *rig) part(name string, fn func()) {
	r.t.Helper()
	whole := r.t
	defer func() { r.t = whole }()
	for _, m := range r.bot.Messages(annID) {
		r.since = max(r.since, m.ID)
	}
	r.refusals() // counts all entries
	if !whole.Run(name, func(t *testing.T) { r.t = t; fn() }) {
		whole.FailNow()
	}
}

// ask lets the session do these turns and then say that it is done with name.
func (r *rig) ask(name string, turns ...model.Turn) {
	r.t.Helper()
	// The terminal recognizes a typed text by its end, which must differ from the last one.
	r.term.Submit(play(append(turns, model.Say("all done with "+name))...) + " for " + name)
}

// did waits until the session says that it is done with name.
func (r *rig) did(name string) {
	r.t.Helper()
	r.term.Await("all done with "+name, within)
}

// configure adds to the person's settings.
func (r *rig) configure(text string) {
	r.t.Helper()
	path := filepath.Join(r.home, "config.toml")
	before, _ := os.ReadFile(path) // there is one when the bot is connected
	if err := os.WriteFile(path, append(before, "\n"+text+"\n"...), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.must("restart")
}

// env returns the environment of the person's own shell.
func (r *rig) env() []string {
	all := []string{"HOME=" + r.lab.Home, "PATH=" + os.Getenv("PATH"), "AFAR_HOME=" + r.home}
	if r.isMember {
		return all
	}
	return append(all, "AFAR_TELEGRAM_API="+r.bot.URL(), "AFAR_TELEGRAM_TOKEN="+r.bot.Token())
}

// afar runs the command line as the person, outside any session.
func (r *rig) afar(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(r.bin, "afar"), args...)
	cmd.Env = r.env()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *rig) must(args ...string) string {
	r.t.Helper()
	out, err := r.afar(args...)
	if err != nil {
		r.t.Fatalf("afar %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

func (r *rig) pair() {
	r.t.Helper()
	code := sixDigits.FindString(r.must("telegram", "pair", "--no-wait"))
	r.ann.Say(annID, "/start "+code)
	r.said("Paired")
}

// said waits for a message to Ann that contains text.
func (r *rig) said(text string) botapi.Message {
	r.t.Helper()
	return r.seen(func(m botapi.Message) bool { return strings.Contains(m.Text, text) }, text)
}

func (r *rig) seen(match func(botapi.Message) bool, what string) botapi.Message {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	m, err := r.bot.Await(ctx, func(m botapi.Message) bool {
		return m.Chat == annID && m.From == r.bot.BotID() && m.ID > r.since && match(m)
	})
	if err != nil {
		r.t.Fatalf("no message with %q on the phone: %v; it shows:\n%s\n%s", what, err, r.phone(), r.trail())
	}
	return m
}

// card waits for an open question that contains text.
func (r *rig) card(text string) botapi.Message {
	r.t.Helper()
	return r.seen(func(m botapi.Message) bool { return len(m.Keyboard) > 0 && strings.Contains(m.Text, text) }, text)
}

// becomes waits until a card says text.
func (r *rig) becomes(card botapi.Message, text string) botapi.Message {
	r.t.Helper()
	return r.seen(func(m botapi.Message) bool { return m.ID == card.ID && strings.Contains(m.Text, text) }, text)
}

func (r *rig) tap(card botapi.Message, button string) {
	r.t.Helper()
	if _, err := r.ann.Tap(card.ID, button); err != nil {
		r.t.Fatalf("tap %s: %v", button, err)
	}
}

// reply answers a message of the bot, like a person on the phone.
func (r *rig) reply(card botapi.Message, text string) {
	r.t.Helper()
	if _, err := r.ann.Reply(card.ID, text); err != nil {
		r.t.Fatal(err)
	}
}

// phone returns the messages that Ann sees.
func (r *rig) phone() string {
	var b strings.Builder
	for _, m := range r.bot.Messages(annID) {
		fmt.Fprintf(&b, "--- %d %v\n%s\n", m.ID, m.Labels(), m.Text)
	}
	return b.String()
}

// trail returns the journal and the log of a test that failed.
func (r *rig) trail() string {
	journal, _ := r.afar("log")
	log, _ := os.ReadFile(filepath.Join(r.home, "state", "log", "coordinator.log"))
	crash, _ := os.ReadFile(filepath.Join(r.home, "state", "log", "crash.log"))
	return journal + string(log) + string(crash)
}

func (r *rig) status() (s wire.StatusReply) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.must("status", "--json")), &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// kill kills the coordinator.
func (r *rig) kill() {
	r.t.Helper()
	if err := syscall.Kill(r.status().Coordinator.PID, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
}

// journal waits for an entry of a kind that contains text.
func (r *rig) journal(kind, text string) wire.Entry {
	r.t.Helper()
	e, ok := r.entry(kind, text, within)
	if !ok {
		r.t.Fatalf("no %s with %q in the journal:\n%s", kind, text, r.trail())
	}
	return e
}

// entry waits at most patience for an entry of a kind that contains text.
func (r *rig) entry(kind, text string, patience time.Duration) (wire.Entry, bool) {
	r.t.Helper()
	after := r.counted
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		out := r.must("call", "log", fmt.Sprintf(`{"after":%d,"limit":1000,"wait_ms":2000}`, after))
		var reply struct{ Body wire.LogReply }
		if err := json.Unmarshal([]byte(out), &reply); err != nil {
			r.t.Fatalf("%v: %s", err, out)
		}
		for _, e := range reply.Body.Entries {
			if e.Kind == kind && strings.Contains(e.Text, text) {
				return e, true
			}
			after = e.Seq
		}
	}
	return wire.Entry{}, false
}

func (r *rig) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.lab.Project, name))
	return err == nil
}

// lines counts the lines of a file of the project, one per run of a tool.
func (r *rig) lines(name string) int {
	raw, _ := os.ReadFile(filepath.Join(r.lab.Project, name))
	return strings.Count(string(raw), "\n")
}

// print runs `claude -p` to its end.
func (r *rig) print(prompt string, args ...string) host.Result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*within)
	defer cancel()
	res, err := r.lab.Print(ctx, prompt, args...)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, r.trail())
	}
	return res
}

// printing runs `claude -p` in the background, until the end of the test at the latest.
func (r *rig) printing(prompt string, args ...string) <-chan host.Result {
	done := make(chan host.Result, 1)
	var running sync.WaitGroup
	r.t.Cleanup(running.Wait)
	running.Go(func() {
		ctx, cancel := context.WithTimeout(r.t.Context(), 3*within)
		defer cancel()
		res, err := r.lab.Print(ctx, prompt, args...)
		if err != nil && r.t.Context().Err() == nil {
			r.t.Errorf("claude -p: %v", err)
		}
		done <- res
	})
	return done
}

// refusal returns what the model was told when its call was refused.
func (r *rig) refusal() string {
	var b strings.Builder
	for _, q := range r.model.Turns() {
		b.WriteString(strings.Join(q.ToolResults(), "\n"))
	}
	return b.String()
}

// processes returns the living processes of one of our programs in this rig. There are none
// where there is no /proc.
func (r *rig) processes(program string) (pids []int) {
	programs, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, exe := range programs {
		dir := filepath.Dir(exe)
		at, _ := os.Readlink(exe)
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if filepath.Base(at) != program || !strings.Contains(string(env), "AFAR_HOME="+r.home+"\x00") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		pids = append(pids, pid)
	}
	return pids
}
