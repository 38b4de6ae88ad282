//go:build unix

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/server/hook"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// soon is far longer than anything here takes.
const soon = time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// callerBinary builds the program that plays every caller.
var callerBinary = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "afar-caller-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "caller")
	if out, err := exec.Command("go", "build", "-o", exe, "testdata/caller/main.go").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(exe)
})

// A rig is a server on a real socket over a real store.
type rig struct {
	t      *testing.T
	core   *feature.Core
	store  *store.Store
	server *server.Server
	bin    string // where our binaries are
	dirs   home.Dirs
	socket string
	log    *buffer
	acts   *buffer       // the log of outward acts
	gate   chan struct{} // of tree; set before the first call
	hangs  bool          // git does

	mu        sync.Mutex
	telegram  channel.Status
	connected [2]string
	fails     error         // what connect and disconnect answer
	shutdown  chan struct{} // closed by the first call
	served    chan error
	stop      context.CancelFunc
}

type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newRig(t *testing.T) *rig { return newRigAs(t, 7) }

// newRigAs returns a rig whose coordinator is the process with that id.
func newRigAs(t *testing.T, coordinator int) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "afar-server-") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{
		t:        t,
		bin:      filepath.Join(dir, "bin"),
		socket:   filepath.Join(dir, "s"),
		log:      &buffer{},
		acts:     &buffer{},
		shutdown: make(chan struct{}),
		served:   make(chan error, 1),
	}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	r.dirs, err = home.FromEnv(func(name string) string {
		return map[string]string{"AFAR_HOME": filepath.Join(dir, "home"), "PATH": os.Getenv("PATH")}[name]
	})
	r.ok(err)
	r.ok(os.MkdirAll(r.dirs.State, 0o700))
	r.store, err = store.Open(filepath.Join(dir, "afar.db"))
	r.ok(err)
	n := 0
	r.core, err = feature.New(core.Config{
		Store: r.store, Log: log, Now: time.Now, Channels: []string{"phone"},
		Secret: func() string { n++; return fmt.Sprintf("%016x", n) },
	})
	r.ok(err)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: r.socket, Net: "unix"})
	r.ok(err)
	r.server = server.New(server.Config{
		Core: r.core, Log: log, Self: wire.Coordinator{PID: coordinator, Version: "test"},
		Place: workplace.Reader{
			Dirs: r.dirs, Bin: r.bin, Usage: transcript.Usage, LastText: transcript.LastText,
			Git: workplace.Git{
				Top:    r.top,
				Tree:   r.tree,
				Recent: func(context.Context, string) (a, b []string) { return []string{"abc first"}, []string{"main.go"} },
			},
		},
		Door: door.Config{Marks: func() {}},
		Hook: hook.Config{
			Mark: markOther, LastTextBeforeCall: transcript.LastTextBeforeCall, Actions: r.acts,
			LoopPage:  func(string) string { return "" },
			Overrules: func(session.Session) []string { return nil },
			Opening:   func(string) string { return "" },
			Snapshot:  func(context.Context, undo.ID) (undo.Snapshot, error) { return undo.Snapshot{}, nil },
		},
		Noun: noun.Config{
			Guard:    func() wire.Guard { return wire.Guard{} },
			Modules:  noun.Modules{List: func() ([]module.Name, error) { return nil, nil }},
			Shutdown: sync.OnceFunc(func() { close(r.shutdown) }),
			Steps:    transcript.Steps, Spent: new(transcript.Glances).Spent, Glance: transcript.Glance,
		},
	})
	r.server.Nouns.Connect(noun.Parts{
		Doctor: func() []wire.Check { return []wire.Check{{ID: "x", State: "ok"}} }, Page: noPage{}, Telegram: r,
	})
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	go func() { r.served <- r.server.Serve(ctx, l) }()
	t.Cleanup(r.close)
	return r
}

// markOther marks a client, other than the test.
func markOther(pid int) error {
	if pid == os.Getpid() {
		return nil
	}
	return birthmark.Lower(pid, birthmark.Client)
}

func (r *rig) close() {
	r.stop()
	select {
	case err := <-r.served:
		if err != nil {
			r.t.Errorf("serve: %v", err)
		}
	case <-time.After(soon):
		r.t.Error("the server does not end")
	}
	r.store.Close()
}

// top knows no repository, or hangs.
func (r *rig) top(ctx context.Context, _ string) (string, error) {
	if r.hangs {
		<-ctx.Done()
	}
	return "", errors.New("no repository")
}

// tree returns the same digest for every work tree. It waits while a test holds the gate.
func (r *rig) tree(context.Context, string) string {
	if r.gate != nil {
		r.gate <- struct{}{}
		<-r.gate
	}
	return "tree"
}

func (r *rig) Connect(_ context.Context, token, api string) (bot string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connected = [2]string{token, api}
	return "bot", r.fails
}

func (r *rig) StartPairing() (string, *channel.Pairing, error) {
	return "123456", channel.NewPairing("123456", time.Now()), nil
}

func (r *rig) Disconnect() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fails
}

// failing makes connect and disconnect fail.
func (r *rig) failing(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails = err
}

func (r *rig) lastConnect() [2]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.connected
}

func (r *rig) Status() channel.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.telegram
}

func (r *rig) setTelegram(t channel.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.telegram = t
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// raw sends bytes from the test itself and returns all that comes back.
func (r *rig) raw(text string) string {
	r.t.Helper()
	conn, err := net.Dial("unix", r.socket)
	r.ok(err)
	defer conn.Close()
	r.ok(conn.SetDeadline(time.Now().Add(soon)))
	_, _ = io.WriteString(conn, text) // the server may refuse before it has read all
	reply, _ := io.ReadAll(conn)      // a refused rest shows as a reset behind the reply
	return string(reply)
}

// ask makes a call from the test itself, which is neither a hook nor a person at a terminal.
func (r *rig) ask(op fmt.Stringer, body any) wire.Reply {
	r.t.Helper()
	return r.reply(r.raw(r.line(op, body)))
}

func (r *rig) line(op fmt.Stringer, body any) string {
	r.t.Helper()
	raw, err := json.Marshal(body)
	r.ok(err)
	return string(wire.Request{V: wire.Version, Op: op.String(), Body: raw}.Line())
}

func (r *rig) reply(text string) (reply wire.Reply) {
	r.t.Helper()
	if !strings.HasSuffix(text, "\n") || strings.Count(text, "\n") != 1 {
		r.t.Fatalf("a reply is one line, not %q", text)
	}
	r.ok(json.Unmarshal([]byte(text), &reply))
	if reply.V != wire.Version {
		r.t.Errorf("the reply speaks version %d", reply.V)
	}
	return reply
}

// A caller is a process that makes one call.
type caller struct {
	name     string   // of its binary, below the directory of ours
	env      []string // besides what it needs
	terminal bool     // it has a controlling terminal
	shell    string   // starts it, as "$0"
}

var (
	hookBinary = caller{name: "hook-test"}
	person     = caller{name: "afar"}
	atTerminal = caller{name: "afar", terminal: true}
)

// start starts a caller and returns what it will read. If the test itself runs inside a
// session, every caller does, so the test is skipped.
func (r *rig) start(c caller, line string) (*exec.Cmd, <-chan string) {
	r.t.Helper()
	for _, p := range peer.Line(os.Getpid()) {
		if p.Marked {
			r.t.Skip("this test is run inside a session: nobody here is a person")
		}
	}
	exe := filepath.Join(r.bin, c.name)
	r.ok(os.MkdirAll(filepath.Dir(exe), 0o700))
	install(r.t, exe)
	cmd := exec.Command(exe)
	if c.shell != "" {
		cmd = exec.Command("bash", "-c", c.shell, exe)
	}
	cmd.Env = append([]string{"AFAR_TEST_DIAL=" + r.socket, "AFAR_TEST_LINE=" + line}, c.env...)
	out, in, err := os.Pipe()
	r.ok(err)
	cmd.ExtraFiles = []*os.File{in}
	if c.terminal {
		tty, err := pty.Start(cmd)
		r.ok(err)
		r.t.Cleanup(func() { tty.Close() })
	} else {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the test may have a terminal; its child has none
		r.ok(cmd.Start())
	}
	in.Close()
	reply := make(chan string, 1)
	go func() { text, _ := io.ReadAll(out); out.Close(); reply <- string(text) }()
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, reply
}

// install puts the caller at a path. Its name and its directory decide what it may do.
func install(t *testing.T, to string) {
	t.Helper()
	if _, err := os.Stat(to); err == nil {
		return
	}
	data, err := callerBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o700); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) as(c caller, op fmt.Stringer, body any) wire.Reply {
	r.t.Helper()
	_, reply := r.start(c, r.line(op, body))
	select {
	case text := <-reply:
		return r.reply(text)
	case <-time.After(soon):
		r.t.Fatal("no reply")
		return wire.Reply{}
	}
}

// hook makes a hook's call for the session s, whose client is the test.
func (r *rig) hook(op fmt.Stringer, payload string, change func(*hookRequest)) wire.Reply {
	r.t.Helper()
	return r.as(hookBinary, op, hookCall(payload, change))
}

// A hookRequest holds the fields of all hook requests, including those of older hooks.
type hookRequest struct {
	wire.HookCall
	Ask      string `json:"ask,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Why      string `json:"why,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Verb     string `json:"verb,omitempty"`
	Part     string `json:"part,omitempty"`
	From     string `json:"from,omitempty"`
	Broken   string `json:"broken,omitempty"`
	WaitMS   int64  `json:"wait_ms,omitempty"`
	OK       bool   `json:"ok,omitempty"`
	Kept     string `json:"kept,omitempty"`
	Park     bool   `json:"park,omitempty"`
	Delivery string `json:"delivery,omitempty"`
	Receipt  bool   `json:"receipt,omitempty"`
}

// A hookReply holds the fields of all replies to hooks.
type hookReply struct {
	Block    bool            `json:"block"`
	Reason   string          `json:"reason"`
	Context  string          `json:"context"`
	Notice   string          `json:"notice"`
	Check    *wire.LoopCheck `json:"check"`
	Texts    int             `json:"texts"`
	HoldMS   int64           `json:"hold_ms"`
	ParkedMS int64           `json:"parked_ms"`
	Text     string          `json:"text"`
	By       string          `json:"by"`
	Wake     string          `json:"wake"`
}

func hookCall(payload string, change func(*hookRequest)) hookRequest {
	h := hookRequest{HookCall: wire.HookCall{
		Payload: wire.Raw(`{"session_id":"s","cwd":"/home/ada/proj","transcript_path":"/t.jsonl",` +
			`"permission_mode":"auto"` + payload + `}`),
		Client: os.Getpid(), Entrypoint: "cli", Attended: true, Terminal: "tty:x",
	}}
	if change != nil {
		change(&h)
	}
	return h
}

// want checks the code of a reply and decodes its body.
func want[T any](t *testing.T, reply wire.Reply, code string) (body T) {
	t.Helper()
	if reply.Code != code {
		t.Fatalf("have code %q (%s), want %q", reply.Code, reply.Error, code)
	}
	if code == wire.CodeOK {
		if err := json.Unmarshal(reply.Body, &body); err != nil {
			t.Fatalf("%v: %s", err, reply.Body)
		}
	} else if reply.Error == "" || len(reply.Body) > 0 && string(reply.Body) != "null" {
		t.Errorf("a refusal says why and nothing else: %+v", reply)
	}
	return body
}

// until waits for a change of state after which f returns true.
func (r *rig) until(what string, f func() bool) {
	r.t.Helper()
	late := time.After(soon)
	changed := r.core.Subscribe(core.Anything)
	defer changed.Close()
	for {
		if f() {
			return
		}
		select {
		case <-changed.C:
		case <-late:
			r.t.Fatalf("it never came: %s", what)
		}
	}
}

// kinds returns the journal's entries as kind and subject.
func (r *rig) kinds() (out []string) {
	r.t.Helper()
	events, err := r.store.Journal(0, 1000, "", false)
	r.ok(err)
	for _, e := range events {
		out = append(out, string(e.Kind)+" "+e.Subject)
	}
	return out
}

func (r *rig) askState(id string) ask.Ask {
	r.t.Helper()
	a, err := r.core.Ask(ask.ID(id))
	r.ok(err)
	return a
}

// noPage is a page that is switched off.
type noPage struct{}

func (noPage) URL() string { return "" }
func (noPage) State() wire.Channel {
	return wire.Channel{ID: "web", State: "off", Note: "switched off"}
}
func (noPage) Link(string) (address, where string) { return "", "" }
