package hooks_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// A broken home is one in which no coordinator can start.
type broken struct {
	t    *testing.T
	root string
	dirs home.Dirs
}

func newBroken(t *testing.T) *broken {
	t.Helper()
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	root := homeDir(t)
	vars := map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar")}
	dirs, err := home.FromEnv(func(name string) string { return vars[name] })
	if err == nil {
		err = dirs.Make()
	}
	if err == nil {
		err = os.WriteFile(dirs.ConfigFile(), []byte("[telegram]\napy = 'x'\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &broken{t, root, dirs}
}

// run runs a hook from the directory that also has `afar`.
func (b *broken) run(event, rest string, who []string) (stdout string, took time.Duration) {
	b.t.Helper()
	cmd := exec.Command(filepath.Join(whole, binary(event)))
	cmd.Env = append([]string{"HOME=" + b.root, "AFAR_HOME=" + b.dirs.Root, "PATH=/usr/bin:/bin"}, who...)
	cmd.Stdin = strings.NewReader(payload(event, rest))
	var out bytes.Buffer
	cmd.Stdout = &out
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.t.Fatalf("%s: %v", event, err)
	}
	return out.String(), time.Since(began)
}

// starts returns how many coordinators were started.
func (b *broken) starts() int {
	b.t.Helper()
	raw, err := os.ReadFile(b.dirs.Log())
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Count(string(raw), `"msg":"the coordinator cannot start"`)
}

// waitForStart waits until the log has the end of a start. A coordinator that cannot start
// leaves the reason for the hooks before it writes its last line.
func (b *broken) waitForStart() {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); b.starts() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatal("no coordinator was started")
		}
	}
}

func systemMessage(t *testing.T, stdout string) string {
	t.Helper()
	var out struct{ SystemMessage string }
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("stdout %q: %v", stdout, err)
	}
	return out.SystemMessage
}

const stopped = `,"stop_hook_active":false,"last_assistant_message":"fin"`

// TestCannotStart: the hooks try once to start a coordinator that cannot start. After that
// they do not wait for it, and the person is told the reason.
func TestCannotStart(t *testing.T) {
	b := newBroken(t)
	out, _ := b.run("SessionStart", `,"source":"startup"`, attended)
	text := systemMessage(t, out)
	for _, want := range []string{
		"cannot start",
		`unknown key "telegram.apy"`,
		"line 2",
		"afar doctor",
		"stay at this terminal",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the session is not told %q: %s", want, text)
		}
	}
	b.waitForStart()
	stop, dialog := time.Hour, time.Hour // the fastest counts, because the machine may be busy
	for range 3 {
		out, took := b.run("Stop", stopped, attended)
		if stop = min(stop, took); out != "" {
			t.Errorf("Stop said %q", out)
		}
		out, took = b.run("PermissionRequest", bash("touch f"), attended)
		dialog, text = min(dialog, took), systemMessage(t, out)
		if !strings.Contains(text, "asked here alone") || !strings.Contains(text, "unknown key") {
			t.Errorf("the dialog says %q", text)
		}
	}
	if max(stop, dialog) > time.Second {
		t.Errorf("Stop takes %s, and the dialog comes after %s", stop, dialog)
	}
	out, _ = b.run("PermissionRequest", bash("touch f"), unattended)
	if !strings.Contains(out, `"behavior":"deny"`) || !strings.Contains(out, "cannot start") {
		t.Errorf("in an unattended session: %s", out)
	}
	if b.starts() != 1 {
		t.Errorf("%d coordinators were started within seconds", b.starts())
	}
}

// TestCannotStartOnce: the person is told when a session starts, but not when it is
// compacted or cleared.
func TestCannotStartOnce(t *testing.T) {
	b := newBroken(t)
	b.run("SessionStart", `,"source":"startup"`, unattended)
	b.waitForStart() // it may take longer than the hook waits
	for source, told := range map[string]bool{"startup": true, "resume": true, "compact": false, "clear": false} {
		out, _ := b.run("SessionStart", `,"source":"`+source+`"`, unattended)
		if got := strings.Contains(out, "cannot start"); got != told {
			t.Errorf("%s: %q", source, out)
		}
	}
}

// TestHungSessionStart: a coordinator that accepts connections but does not answer delays
// the start of a session by at most 50 ms. The fastest of several runs counts, because the
// machine may be busy: as many as it takes, up to a bound.
func TestHungSessionStart(t *testing.T) {
	long.InCI(t)
	start := func(serve func(net.Conn)) time.Duration {
		root := homeDir(t)
		impostor(t, root, serve)
		began := time.Now()
		started := payload("SessionStart", `,"source":"resume"`) // the person is told nothing then
		nothing.check(t, runHook(t, "hook-session-start", root, attended, started))
		return time.Since(began)
	}
	answers := func(c net.Conn) {
		_, _ = c.Read(make([]byte, 64<<10))
		_, _ = c.Write([]byte(`{"v":1,"code":"","body":{}}` + "\n"))
		c.Close()
	}
	const most = 75 * time.Millisecond // 50 ms, and the start of the copy that registers later
	usual, hung := time.Hour, time.Hour
	for n := 0; n < 8 || n < 100 && hung-usual > most; n++ {
		usual, hung = min(usual, start(answers)), min(hung, start(conditions["hung"]))
	}
	if delay := hung - usual; delay > most {
		t.Errorf("a hung coordinator delays it by %s (usual %s)", delay, usual)
	}
}
