//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/standin/agent"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An adapter is one kind of agent in the conformance suite: a stand-in that speaks its protocol.
type adapter struct {
	name     string // of the agent in config.toml
	protocol string
	standin  string // see package standin/agent
	survives bool   // a turn goes on without its runner
	stays    bool   // an agent that does not end after its result keeps its turn busy for runs.leaving
	fills    string // the kind of event of a step "usage"
	// waits is true for an agent that continues a conversation only in the minute after it began.
	waits bool
}

// prompt returns a, or another program with the same protocol that continues at once.
func (a adapter) prompt() adapter {
	if a.waits {
		a.name = "other"
	}
	return a
}

var adapters = []adapter{
	{name: "claude", protocol: "claude", standin: agent.Claude, survives: true, stays: true, fills: "compacting"},
	{name: "gemini", protocol: "acp", standin: agent.ACP, fills: "context", waits: true},
	{name: "codex", protocol: "codex", standin: agent.Codex, fills: "context"},
}

// TestAgents runs each adapter against a stand-in, with the real runner, hooks and coordinator.
func TestAgents(t *testing.T) {
	long.InCI(t)
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	for _, a := range adapters {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := newAgentRig(t, a)
			for name, part := range agentParts {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					part(&agentRun{agentRig: r, t: t, name: strings.ReplaceAll(name, " ", "-")})
				})
			}
		})
	}
}

// agentParts are the cases of the suite. All of an adapter run at once, with one coordinator.
var agentParts = map[string]func(*agentRun){
	"text":        testAgentText,
	"tool":        testAgentTool,
	"allowed":     testAgentAllowed,
	"denied":      testAgentDenied,
	"forbidden":   testAgentForbidden,
	"granted":     testAgentGranted,
	"undone":      testAgentUndone,
	"parked":      testAgentParked,
	"interrupted": testAgentInterrupted,
	"resumed":     testAgentResumed,
	"usage":       testAgentUsage,
	"unknown":     testAgentUnknown,
	"garbage":     testAgentGarbage,
	"silence":     testAgentSilence,
	"crash":       testAgentCrash,
	"no result":   testAgentNoResult,
	"no exit":     testAgentNoExit,
	"no runner":   testAgentNoRunner,
	"mode":        testAgentMode,
	"started":     testAgentStarted,
}

// An agentRig is a home with a coordinator and one agent.
type agentRig struct {
	adapter
	dir     string // of the stand-in's notes
	project string
	env     []string
}

// newAgentRig returns the rig of an adapter, with more settings of runs.
func newAgentRig(t *testing.T, a adapter, settings ...string) *agentRig {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, home := os.Getenv(builtVar), filepath.Join(dir, "home")
	r := &agentRig{adapter: a, dir: dir, project: filepath.Join(dir, "project"), env: []string{
		"HOME=" + home, "AFAR_HOME=" + filepath.Join(dir, "afar"), "PATH=" + bin + ":/usr/bin:/bin", "TZ=UTC",
		"AFAR_WEB_ADDR=off",
	}}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, keys := filepath.Join(dir, "programs", a.name), filepath.Join(dir, "keys")
	state := filepath.Join(dir, "standin") // of the agent: beside a home in /tmp nothing new can be made behind a wall
	isMax := func(line string) bool { return strings.HasPrefix(line, "max =") }
	if !slices.ContainsFunc(settings, isMax) {
		settings = append(settings, "max = 50")
	}
	config := fmt.Sprintf("[runs]\n%s\n[agents.%s]\nprotocol = %q\ncommand = [%q]\nenv_file = %q\n",
		strings.Join(settings, "\n"), a.name, a.protocol, program, keys)
	for _, made := range []string{home, r.project, filepath.Join(dir, "afar"), state, filepath.Dir(program)} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "afar", "config.toml"): config,
		keys: agent.Variable + "=" + a.standin + "\nSTANDIN_DIR=" + state + "\nSTANDIN_HOOKS=" + bin + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = r.afar("stop")
		stray.End(filepath.Join(dir, "afar")) // a part that failed may leave agents
	})
	return r
}

// afar runs the command line, and returns what it printed.
func (r *agentRig) afar(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(os.Getenv(builtVar), "afar"), args...)
	cmd.Env, cmd.Dir = r.env, r.project
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// An agentRun is one case of the suite, with one run.
type agentRun struct {
	*agentRig

	t    *testing.T
	name string
}

func (r *agentRun) must(args ...string) string {
	r.t.Helper()
	out, err := r.afar(args...)
	if err != nil {
		r.t.Fatalf("afar %q: %v\n%s", args, err, out)
	}
	return out
}

// start starts the run with the steps of a prompt.
func (r *agentRun) start(steps ...string) {
	r.t.Helper()
	r.must("run", "start", "--name", r.name, "--agent", r.adapter.name, "--mode", "manual", strings.Join(steps, "\n"))
}

func (r *agentRun) show() (out wire.Run) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.must("run", "show", r.name, "--json")), &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// becomes waits until the run is in a state.
func (r *agentRun) becomes(state string) wire.Run {
	r.t.Helper()
	for end := time.Now().Add(2 * patience); ; time.Sleep(50 * time.Millisecond) {
		got := r.show()
		if got.State == state {
			return got
		}
		if time.Now().After(end) {
			r.t.Fatalf("the run is %s (%s), want %s\n%s", got.State, got.Why, state, r.must("run", "log", r.name))
		}
	}
}

// events returns what the run did, as KIND TEXT.
func (r *agentRun) events() (all []string) {
	r.t.Helper()
	lines := json.NewDecoder(strings.NewReader(r.must("run", "log", "--json", r.name)))
	for {
		var e wire.RunEvent
		if err := lines.Decode(&e); err == io.EOF {
			return all
		} else if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, e.Kind+" "+strings.TrimSpace(e.Text))
	}
}

// did checks that the run did these things, in this order.
func (r *agentRun) did(want ...string) {
	r.t.Helper()
	all := r.events()
	rest := all
	for _, w := range want {
		at := slices.IndexFunc(rest, func(e string) bool { return strings.HasPrefix(e, w) })
		if at < 0 {
			r.t.Fatalf("no %q in order in %q", w, all)
		}
		rest = rest[at+1:]
	}
}

// question waits for the run's question and returns its id.
func (r *agentRun) question() string {
	r.t.Helper()
	return r.becomes("waiting").Ask
}

// atTerminal runs the command line at a terminal.
func (r *agentRun) atTerminal(args ...string) {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(os.Getenv(builtVar), "afar"), args...)
	cmd.Env, cmd.Dir = r.env, r.project
	terminal, err := pty.Start(cmd)
	if err != nil {
		r.t.Fatal(err)
	}
	defer terminal.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, terminal) // it fails when the program ends
	if err := cmd.Wait(); err != nil {
		r.t.Fatalf("afar %q: %v\n%s", args, err, out.String())
	}
}

func (r *agentRun) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.project, name))
	return err == nil
}

func testAgentText(r *agentRun) {
	r.start("think hm", "text hello")
	end := r.becomes("idle")
	if !strings.HasSuffix(end.Result, "did 2 steps") || end.Turns != 1 || end.PID != 0 {
		r.t.Errorf("at the end: %+v", end)
	}
	r.did("init ", "thinking hm", "text hello", "result ")
}

func testAgentTool(r *agentRun) {
	r.start("tool echo it ran")
	r.becomes("idle")
	r.did("init ", "tool_start ", "tool_result it ran", "result ")
}

func testAgentAllowed(r *agentRun) {
	r.start("ask touch allowed")
	ask := r.question()
	if r.exists("allowed") {
		r.t.Error("the call ran before its answer")
	}
	r.atTerminal("allow", ask)
	r.becomes("idle")
	if !r.exists("allowed") {
		r.t.Error("an allowed call did not run")
	}
}

func testAgentDenied(r *agentRun) {
	r.start("ask touch denied", "text after it")
	r.atTerminal("deny", r.question(), "-m", "not today")
	r.becomes("idle")
	if r.exists("denied") {
		r.t.Error("a denied call ran")
	}
	r.did("tool_result ", "text after it", "result ")
}

// testAgentForbidden: what the guard denies is asked of nobody.
func testAgentForbidden(r *agentRun) {
	r.start("ask touch forbidden; rm -rf ~") // the home of the test
	r.becomes("idle")
	if r.exists("forbidden") {
		r.t.Error("a forbidden call ran")
	}
	if log := r.must("log"); !strings.Contains(log, "guard.denied") {
		r.t.Errorf("the guard did not see it:\n%s", log)
	}
}

// testAgentGranted: a yes for the session answers the next question that it covers.
func testAgentGranted(r *agentRun) {
	r.start("ask touch one.granted", "ask touch two.granted")
	r.atTerminal("allow", r.question(), "--session")
	r.becomes("idle")
	if !r.exists("one.granted") || !r.exists("two.granted") {
		r.t.Errorf("not both calls ran: %q", r.events())
	}
}

// testAgentUndone: what an allowed call destroyed comes back.
func testAgentUndone(r *agentRun) {
	repo := filepath.Join(r.dir, "repo of "+r.name)
	precious := filepath.Join(repo, "precious")
	gitrepo.Run(r.t, r.dir, "init", "-q", repo)
	gitrepo.Write(r.t, repo, "precious", "committed\n")
	gitrepo.Run(r.t, repo, "add", ".")
	gitrepo.Run(r.t, repo, "commit", "-qm", "first")
	gitrepo.Write(r.t, repo, "precious", "new work\n")
	r.must("run", "start", "--name", r.name, "--agent", r.adapter.name, "--mode", "manual", "--dir", repo,
		"ask git checkout -- precious")
	r.atTerminal("allow", r.question())
	r.becomes("idle")
	if raw, _ := os.ReadFile(precious); string(raw) != "committed\n" {
		r.t.Fatalf("the call did not run: %q", raw)
	}
	id := regexp.MustCompile(`undo_\w+`).FindString(r.must("undo", "list"))
	r.must("undo", id)
	if raw, _ := os.ReadFile(precious); string(raw) != "new work\n" {
		r.t.Errorf("undone, it is %q", raw)
	}
}

// testAgentParked: nobody answers in time, so the turn ends. The answer starts the next turn, in
// which the call runs.
func testAgentParked(r *agentRun) {
	if r.survives {
		r.t.Skip("the script runhold tests it: this agent keeps the call")
	}
	r.agentRig = newAgentRig(r.t, r.prompt(), `hold = "1s"`)
	r.start("ask touch parked")
	r.parks()
	if r.exists("parked") {
		r.t.Error("a parked call ran")
	}
	r.atTerminal("allow", r.show().Ask)
	r.becomes("idle")
	if !r.exists("parked") {
		r.t.Errorf("the call was allowed later, and did not run: %q", r.events())
	}
}

// parks waits until the run waits without a process.
func (r *agentRun) parks() {
	r.t.Helper()
	for end := time.Now().Add(2 * patience); ; time.Sleep(50 * time.Millisecond) {
		got := r.show()
		if got.State == "waiting" && got.PID == 0 {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("the run is %s: %q", got.State, r.events())
		}
	}
}

func testAgentInterrupted(r *agentRun) {
	r.start("text before", "hang")
	r.says("text before")
	r.must("run", "stop", r.name)
	if end := r.becomes("stopped"); end.PID != 0 {
		r.t.Errorf("at the end: %+v", end)
	}
}

// says waits for an event.
func (r *agentRun) says(want string) {
	r.t.Helper()
	for end := time.Now().Add(2 * patience); !slices.ContainsFunc(r.events(), func(e string) bool {
		return strings.HasPrefix(e, want)
	}); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("no %q in %q", want, r.events())
		}
	}
}

func testAgentResumed(r *agentRun) {
	if r.waits {
		r.agentRig = newAgentRig(r.t, r.prompt())
	}
	r.start("text one")
	first := r.becomes("idle")
	r.atTerminal("run", "send", r.name, "history")
	r.says("text before: ")
	second := r.becomes("idle")
	if second.Turns != 2 || second.Conversation != first.Conversation {
		r.t.Errorf("after the second turn: %+v", second)
	}
	r.did("text one", "result ", "init ", "text before: text one")
}

func testAgentUsage(r *agentRun) {
	r.start("usage")
	if end := r.becomes("idle"); end.Tokens != 30 {
		r.t.Errorf("%d tokens, want 30", end.Tokens)
	}
	r.did(r.fills + " ")
}

func testAgentUnknown(r *agentRun) {
	r.start("unknown", "text after it")
	r.becomes("idle")
	r.did("raw {", "text after it", "result ")
}

func testAgentGarbage(r *agentRun) {
	r.start("garbage", "text after it")
	r.becomes("idle")
	r.did(`raw {"half a mess`, "text after it", "result ")
}

// testAgentSilence: an agent that is silent, or does not listen, is ended all the same. After
// silence the run goes on with a notice.
func testAgentSilence(r *agentRun) {
	r.agentRig = newAgentRig(r.t, r.prompt(), `silence = "2s"`, `leaving = "300ms"`, `starting = "100ms"`)
	r.start("think hm", "silence")
	r.says("thinking hm")
	stopped := &agentRun{agentRig: r.agentRig, t: r.t, name: "stopped"}
	stopped.start("think hm", "silence")
	stopped.says("thinking hm")
	stopped.must("run", "stop", stopped.name)
	stopped.becomes("stopped")
	if end := r.becomes("idle"); end.Turns < 2 || !strings.HasSuffix(end.Result, "did 0 steps") {
		r.t.Errorf("after its silence: %+v", end)
	}
}

func testAgentCrash(r *agentRun) {
	r.start("text before", "crash")
	if end := r.becomes("idle"); end.Turns < 2 || end.Result != "did 0 steps" {
		r.t.Errorf("after a crash: %+v", end)
	}
	r.did("init ", "text before", "init ")
}

func testAgentNoResult(r *agentRun) {
	r.start("text before", "exit 0")
	if end := r.becomes("failed"); !strings.HasPrefix(end.Why, "it ended without a result") {
		r.t.Errorf("it failed because %q", end.Why)
	}
}

func testAgentNoExit(r *agentRun) {
	if r.stays {
		r.agentRig = newAgentRig(r.t, r.adapter, `leaving = "300ms"`)
	}
	r.start("stay")
	r.becomes("idle")
}

// testAgentNoRunner: the agent goes on, or is ended.
func testAgentNoRunner(r *agentRun) {
	r.start("tool echo $PPID > pid-of-"+r.name, "stay", "text before", "hang")
	r.says("text before")
	raw, err := os.ReadFile(filepath.Join(r.project, "pid-of-"+r.name))
	if err != nil {
		r.t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(raw), &pid)
	runner := r.show().PID
	if err := syscall.Kill(runner, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	if r.survives {
		for end := time.Now().Add(patience); r.show().PID == runner; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				r.t.Fatal("no other runner has the turn")
			}
		}
		if !peer.Alive(pid) {
			r.t.Error("the agent died with its runner")
		}
		r.must("run", "stop", r.name)
		r.becomes("stopped")
		return
	}
	if end := r.becomes("idle"); end.Turns < 2 {
		r.t.Errorf("after its runner had ended: %+v", end)
	}
	for end := time.Now().Add(patience); peer.Birth(pid) != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatal("the agent lives without its runner")
		}
	}
}

// testAgentMode: a run cannot be in a mode that its agent does not have.
func testAgentMode(r *agentRun) {
	out, err := r.afar("run", "start", "--agent", r.adapter.name, "--mode", "bypassPermissions", "text x")
	if err == nil || !strings.Contains(out, "unknown mode") {
		r.t.Errorf("%v, %s", err, out)
	}
}

// switchesOff matches what would switch an agent's questions off.
var switchesOff = regexp.MustCompile(`(?i)yolo|bypass|skip-?perm|dangerous|auto_?edit|never_?ask|full-auto|"allow"`)

// testAgentStarted: no argument and no variable of the agent switches its questions off, and
// the prompt is not among them.
func testAgentStarted(r *agentRun) {
	r.start("text my secret prompt")
	r.becomes("idle")
	raw, err := os.ReadFile(filepath.Join(r.dir, "standin", "started"))
	if err != nil {
		r.t.Fatal(err)
	}
	if found := switchesOff.FindString(string(raw)); found != "" || strings.Contains(string(raw), "my secret prompt") {
		r.t.Errorf("%q in %s", found, raw)
	}
}
