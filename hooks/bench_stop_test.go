package hooks_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkStop measures the Stop hook with a running coordinator, in turn with an empty
// program: without a loop, and with a loop whose session has a transcript of 50 MB that
// grows by a turn each time. The ratios count: at the median at most 1.5 times the empty
// program without a loop and at most 2 times with one, whatever the transcript's length.
func BenchmarkStop(b *testing.B) {
	empty := emptyProgram(b)
	c := startCoordinator(b)
	idle := c.begin("idle", 1<<10)
	short := c.begin("short", 1<<10)
	long := c.begin("long", 50<<20)
	spent := map[string][]time.Duration{}
	measure := func(what string, f func() time.Duration) {
		time.Sleep(quiet)
		spent[what] = append(spent[what], f())
	}
	for b.Loop() {
		measure("empty", func() time.Duration { _, took := c.run(empty, idle.stopping()); return took })
		idle.work()
		measure("no-loop", idle.stop)
		for _, s := range []*stopping{short, long} {
			s.arm() // a new loop each time, so that none ends
			s.grow()
			s.work()
		}
		measure("loop", short.stop)
		measure("loop-50MB", long.stop)
		short.cancel()
		long.cancel()
	}
	for _, what := range []string{"no-loop", "loop", "loop-50MB"} {
		b.ReportMetric(quantile(spent[what], 0.5)/quantile(spent["empty"], 0.5), what+"-x-empty-go-p50")
		b.ReportMetric(quantile(spent[what], 0.5)*1e3, what+"-ms-p50")
	}
	b.ReportMetric(quantile(spent["empty"], 0.5)*1e3, "empty-ms-p50")
}

// quiet is the time between two hooks. The work that the coordinator does after its reply
// must not slow the next hook, and a model takes longer than that.
const quiet = 30 * time.Millisecond

// A daemon is a real coordinator with the hook binaries.
type daemon struct {
	b    testing.TB
	root string // the person's home
	bin  string
	// client is the process that the hooks take for the host's client. It must not be
	// this test: then no `afar` that the test runs could decide anything.
	client *exec.Cmd
}

func startCoordinator(b testing.TB) *daemon {
	b.Helper()
	root, err := os.MkdirTemp("", "afar-bench-")
	if err != nil {
		b.Fatal(err)
	}
	d := &daemon{b: b, root: root, bin: installed(b, whole, root), client: exec.Command("sleep", "3600")}
	if err := d.client.Start(); err != nil {
		b.Fatal(err)
	}
	d.afar("start")
	b.Cleanup(func() {
		d.afar("stop")
		_ = d.client.Process.Kill()
		_ = d.client.Wait()
		_ = os.RemoveAll(root)
	})
	return d
}

func (d *daemon) env() []string {
	home := []string{"HOME=" + d.root, "AFAR_HOME=" + filepath.Join(d.root, "afar"), "PATH=/usr/bin:/bin"}
	return append(home, attended...)
}

func (d *daemon) afar(args ...string) string {
	d.b.Helper()
	cmd := exec.Command(filepath.Join(d.bin, "afar"), args...)
	cmd.Env = d.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.b.Fatalf("afar %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// hook runs a hook and returns what it printed and how long the host waited.
func (d *daemon) hook(name, stdin string) (string, time.Duration) {
	d.b.Helper()
	return d.run(filepath.Join(d.bin, name), stdin)
}

// run runs a program as the host runs a hook.
func (d *daemon) run(program, stdin string) (string, time.Duration) {
	d.b.Helper()
	cmd := exec.Command(program)
	cmd.Env, cmd.Stdin = append(d.env(), fmt.Sprint("CLAUDE_PID=", d.client.Process.Pid)), strings.NewReader(stdin)
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.b.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out), time.Since(begun)
}

// stopping is a session that stops repeatedly.
type stopping struct {
	*daemon
	name, cwd, transcript string
	turns                 int
}

func (d *daemon) begin(name string, transcript int64) *stopping {
	d.b.Helper()
	s := &stopping{d, name, filepath.Join(d.root, name), filepath.Join(d.root, name+".jsonl"), 0}
	if err := os.MkdirAll(s.cwd, 0o700); err != nil {
		d.b.Fatal(err)
	}
	f, err := os.Create(s.transcript)
	if err == nil {
		_, err = f.WriteAt([]byte("\n"), transcript-1) // the rest is a hole
	}
	if err != nil {
		d.b.Fatal(err)
	}
	f.Close()
	d.hook("hook-session-start", s.payload("SessionStart", `,"source":"startup"`))
	return s
}

func (s *stopping) payload(event, rest string) string {
	const form = `{"session_id":%q,"transcript_path":%q,"cwd":%q,"permission_mode":"default","hook_event_name":%q%s}`
	return fmt.Sprintf(form, s.name, s.transcript, s.cwd, event, rest)
}

// ranTrue is the rest of a payload about a call that has run.
const ranTrue = `,"tool_name":"Bash","tool_input":{"command":"true"},"tool_response":{},"tool_use_id":"t"`

// work reports a tool call of the session.
func (s *stopping) work() {
	s.hook("hook-post-tool-use", s.payload("PostToolUse", ranTrue))
}

func (s *stopping) stopping() string { return s.payload("Stop", `,"last_assistant_message":"so far"`) }

func (s *stopping) stop() time.Duration {
	out, took := s.hook("hook-stop", s.stopping())
	if blocked := strings.Contains(out, `"block"`); blocked != (s.name != "idle") {
		s.b.Fatalf("%s: the Stop hook said %q", s.name, out)
	}
	return took
}

// grow appends a turn to the transcript.
func (s *stopping) grow() {
	f, err := os.OpenFile(s.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		s.b.Fatal(err)
	}
	defer f.Close()
	s.turns++
	message := fmt.Sprintf(`{"id":"m%d","model":"claude-opus-5-5","usage":{"input_tokens":10}}`, s.turns)
	answer := `{"type":"assistant","message":` + message + "}\n"
	if _, err := f.WriteString(strings.Repeat(strings.Repeat("y", 4<<10)+"\n", 8) + answer); err != nil {
		s.b.Fatal(err)
	}
}

// TestNoTranscriptIsRead: neither the hooks nor the coordinator read a whole transcript.
// The transcript has a terabyte, so reading it would take minutes, and the kernel counts
// the bytes that the coordinator reads.
func TestNoTranscriptIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	d := startCoordinator(t)
	s := d.begin("huge", 1<<40)
	made := filepath.Join(s.cwd, "made")
	if err := os.MkdirAll(made, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := &stopping{d, s.name, s.cwd, filepath.Join(d.root, "agent.jsonl"), 0}
	remove := fmt.Sprintf(`,"tool_name":"Bash","tool_input":{"command":"rm -r %s"},"tool_use_id":"t"`, made)
	agentStops := fmt.Sprintf(`,"agent_id":"a","agent_type":"Explore","agent_transcript_path":%q`, agent.transcript)
	before := d.bytesRead()
	s.arm()
	for _, step := range []struct{ name, event, rest string }{
		{"hook-session-start", "SessionStart", `,"source":"resume"`},
		{"hook-user-prompt-submit", "UserPromptSubmit", `,"prompt":"go on"`},
		{"hook-pre-tool-use", "PreToolUse", remove},
		{"hook-post-tool-use", "PostToolUse", ranTrue},
		{"hook-stop", "Stop", `,"last_assistant_message":"so far"`},
		{"hook-subagent-stop", "SubagentStop", agentStops},
		{"hook-subagent-stop", "SubagentStop", agentStops},
		{"hook-pre-compact", "PreCompact", `,"trigger":"auto"`},
		{"hook-stop-failure", "StopFailure", `,"error":"overloaded"`},
		{"hook-stop", "Stop", `,"last_assistant_message":"so far"`},
	} {
		s.grow()
		agent.grow()
		out, took := d.hook(step.name, s.payload(step.event, step.rest))
		if took > 30*time.Second {
			t.Errorf("%s took %v", step.name, took)
		}
		if step.event == "Stop" && !strings.Contains(out, "[loop ") {
			t.Errorf("the loop does not run: %q", out)
		}
	}
	if n := d.bytesRead() - before; n > 4<<20 {
		t.Errorf("the coordinator read %d bytes", n)
	}
	const used = "170 tokens" // of 10 turns of the session and 7 of the agent
	if loop := d.afar("loop", "show", "huge"); !strings.Contains(loop, used) {
		t.Errorf("each turn in the transcripts must count once, want %s:\n%s", used, loop)
	}
}

// bytesRead returns how many bytes the coordinator has read since it started, as counted
// by the kernel.
func (d *daemon) bytesRead() int64 {
	d.b.Helper()
	var pid int
	_, rest, _ := strings.Cut(d.afar("status", "--json"), `"pid": `)
	if _, err := fmt.Sscan(strings.TrimRight(strings.Fields(rest)[0], ","), &pid); err != nil {
		d.b.Fatal(err)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		d.b.Skip("this system does not say what a process read")
	}
	var n int64
	if _, err := fmt.Sscanf(string(raw), "rchar: %d", &n); err != nil {
		d.b.Fatal(err)
	}
	return n
}

func (s *stopping) arm()    { s.afar("loop", "start", "--session", s.name, "get it done") }
func (s *stopping) cancel() { s.afar("loop", "cancel", s.name) }
