//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// A smallDisk is a home on a file system of a few megabytes, in its own mount namespace.
// All programs of the test run in that namespace.
type smallDisk struct {
	t     *testing.T
	home  string
	inner string   // process id in the namespace
	env   []string // of the programs
}

func newSmallDisk(t *testing.T, env ...string) *smallDisk {
	t.Helper()
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	if os.Getuid() != 0 {
		t.Skip("needs root, to mount a small file system in a namespace of its own")
	}
	for _, tool := range []string{"unshare", "nsenter"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
	d := &smallDisk{t: t, home: t.TempDir()}
	d.env = append(env, "HOME="+d.home, "AFAR_HOME="+filepath.Join(d.home, "afar"), "AFAR_WEB_ADDR=off",
		"PATH="+os.Getenv(builtVar)+":/usr/bin:/bin:/usr/sbin:/sbin")
	holder := exec.Command("unshare", "-m", "--propagation", "private", "sh", "-c",
		`mount -t tmpfs -o size=8m tmpfs "$1" && echo ready && exec sleep 600`, "sh", d.home)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Skipf("no mount namespace: %v", err)
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	ready := make([]byte, 6)
	if n, _ := out.Read(ready); n == 0 {
		t.Skip("needs to mount a file system, and may not")
	}
	d.inner = fmt.Sprint(holder.Process.Pid)
	t.Cleanup(func() { d.run("", "afar", "stop") })
	return d
}

// command prepares a program in the namespace, as the child of a client other than this
// test.
func (d *smallDisk) command(stdin string, args ...string) *exec.Cmd {
	c := exec.Command("nsenter", append([]string{"-t", d.inner, "-m", "--", "sh", "-c", "\"$@\"\nexit $?", "client"},
		args...)...)
	c.Env = d.env
	c.Dir = "/"
	c.Stdin = strings.NewReader(stdin)
	return c
}

func (d *smallDisk) run(stdin string, args ...string) (stdout, stderr string, code int) {
	d.t.Helper()
	c := d.command(stdin, args...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	code, err := exitOf(c.Run())
	if err != nil {
		d.t.Fatal(err)
	}
	return out.String(), errs.String(), code
}

// must runs a program that must succeed, and returns what it printed.
func (d *smallDisk) must(args ...string) string {
	d.t.Helper()
	out, errs, code := d.run("", args...)
	if code != 0 {
		d.t.Fatalf("%q: exit %d: %s %s", args, code, out, errs)
	}
	return out
}

func (d *smallDisk) fill() {
	d.t.Helper()
	_, _, _ = d.run("", "dd", "if=/dev/zero", "of="+d.home+"/filler", "bs=4096") // it fails when the disk is full
}

func (d *smallDisk) free() { d.must("rm", d.home+"/filler") }

func permission(command string) string {
	return fmt.Sprintf(`{"hook_event_name":"PermissionRequest","session_id":"s-1","cwd":"/",`+
		`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":%q}}`, command)
}

// pair starts a coordinator in d and pairs a person with it.
func (d *smallDisk) pair(s *botapi.Server) *botapi.User {
	d.t.Helper()
	_, code, found := strings.Cut(d.must("afar", "telegram", "pair", "--no-wait"), "/start ")
	if !found {
		d.t.Fatal("no code")
	}
	ana := s.User(1000, "Ana")
	ana.Say(ana.ID, "/start "+code[:6])
	awaitText(d.t, s, "Paired with Ana")
	d.must("afar", "away", "on")
	return ana
}

func awaitText(t *testing.T, s *botapi.Server, text string) botapi.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m, err := s.Await(ctx, func(m botapi.Message) bool { return strings.Contains(m.Text, text) })
	if err != nil {
		t.Fatalf("no message with %q: %v", text, err)
	}
	return m
}

// TestFullDisk: while the disk is full, questions stay at the dialog or are refused, each
// with the reason, the phone is told once, and doctor reports it. Nothing is lost when
// there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s, err := botapi.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	attended := []string{"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ATTENDED=1"}
	d := newSmallDisk(t, append(attended, "AFAR_TELEGRAM_API="+s.URL(), "AFAR_TELEGRAM_TOKEN="+s.Token())...)
	ana := d.pair(s)
	d.must("afar", "task", "new", "First")
	waiting := d.command(permission("npm test"), "hook-permission-request")
	var said bytes.Buffer
	waiting.Stdout = &said
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	card := awaitText(t, s, "npm test")

	d.fill()
	out, _, code := d.run(permission("touch a"), "hook-permission-request")
	if code != 0 || !strings.Contains(out, "the disk is full") || !strings.Contains(out, "asked here alone") ||
		strings.Contains(out, "behavior") {
		t.Errorf("an attended question: exit %d, %s", code, out)
	}
	awaitText(t, s, "cannot write")
	if _, err := ana.Tap(card.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	d.unattended("touch b")
	for _, args := range [][]string{{"new", "Second"}, {"done", "first"}} {
		out, errs, code := d.run("", append([]string{"afar", "task"}, args...)...)
		if code == 0 ||
			!strings.Contains(out+errs, "the disk is full") && !strings.Contains(out+errs, "no space left") {
			t.Errorf("task %v: exit %d: %s %s", args, code, out, errs)
		}
	}
	if out := d.must("afar", "task", "show", "first"); !strings.Contains(out, "in progress") {
		t.Errorf("the task is %s", out)
	}
	start := `{"hook_event_name":"SessionStart","session_id":"s-2","cwd":"/","source":"startup"}`
	if out, _, _ := d.run(start, "hook-session-start"); !strings.Contains(out, "systemMessage") ||
		!strings.Contains(out, "the disk is full") {
		t.Errorf("a session that starts is told %q", out)
	}
	out, _, code = d.run("", "afar", "doctor")
	for _, red := range []string{`✖\s+disk\s`, `✖\s+database\s.*the disk is full`} {
		if code != 1 || !regexp.MustCompile(red).MatchString(out) {
			t.Errorf("doctor: exit %d without %s: %s", code, red, out)
		}
	}

	d.free()
	awaitText(t, s, "can write again")
	if err := waiting.Wait(); err != nil || !strings.Contains(said.String(), `"behavior":"allow"`) {
		t.Errorf("the answer given meanwhile: %v, %s", err, &said)
	}
	if n := told(s, ana, "cannot write"); n != 1 {
		t.Errorf("the phone was told %d times", n)
	}
	d.must("afar", "task", "new", "Second")
	d.must("afar", "task", "done", "first")
	if out := d.must("afar", "task", "list"); !strings.Contains(out, "second  ") ||
		!strings.Contains(out, "done") {
		t.Errorf("the tasks afterwards: %s", out)
	}
	d.must("afar", "audit", "verify")
	if out, _, code := d.run("", "afar", "doctor"); code != 0 {
		t.Errorf("doctor afterwards: exit %d: %s", code, out)
	}
}

// told returns how many messages to a person contain a text.
func told(s *botapi.Server, who *botapi.User, text string) (n int) {
	for _, m := range s.Messages(who.ID) {
		if strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

// unattended asks the question of an unattended session.
func (d *smallDisk) unattended(command string) {
	d.t.Helper()
	c := d.command(permission(command), "hook-permission-request")
	c.Env = append(c.Env, "CLAUDE_CODE_ENTRYPOINT=sdk-cli", "CLAUDE_CODE_SESSION_ATTENDED=0")
	began := time.Now()
	out, err := c.Output()
	if err != nil || !strings.Contains(string(out), `"behavior":"deny"`) ||
		!strings.Contains(string(out), "the disk is full") {
		d.t.Errorf("an unattended question after %s: %v, %s", time.Since(began), err, out)
	}
}
