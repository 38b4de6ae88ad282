//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/standin/tracker"
	"github.com/afar-sh/afar/coordinator/wire"
)

// patience is how long a script waits for an event.
const patience = time.Minute

// TestScripts runs the whole program: the real binaries, a real coordinator, and a
// stand-in for Telegram. The scripts have these commands in addition to the usual ones:
//
//	exits CODE PROGRAM ARGS…      run and compare the exit code
//	tty CODE PROGRAM ARGS…        the same at a new terminal
//	spawn NAME PROGRAM ARGS…      run in the background; stdin is the file NAME.in, if any
//	screen NAME PROGRAM ARGS…     the same at a new terminal, 80 columns wide
//	press NAME KEYS               type at that terminal; ^C is Ctrl-C
//	expect NAME REGEXP [VAR]      wait for it in the output of NAME; VAR gets the first group
//	signal NAME                   send SIGTERM
//	ended NAME CODE               wait for its end; its output is then stdout
//	capture VAR REGEXP            set VAR to the first group of a match in stdout
//	kill9                         kill the coordinator
//	hang, ! hang                  stop the coordinator's process, or continue it
//	botapi …                      see botapi_test.go
//	consultant …                  see consultant_test.go
//	tracker NAME                  install tissue, bd or gh
//	ways HOW FILE                try what only a person may do, see ways_test.go
//	others TOKEN ID…             try every operation on another session's things, see others_test.go
//	programs old|new [KEEP…]      install the programs of that release, except KEEP
//	exec client HOOK              run a hook as the child of the script's client, see client_test.go
//	client dies | another         kill that client, or replace it
//	zone HOUR                     set TZ to a zone in which it is that hour
//	exec clock TIME ARGS…         run a command of afar with another clock, see clock_test.go
//	webhook NAME ID SECRET FILE   send a signed webhook, see webhook_test.go
//	exec mcp …, exec client @mcp … call a tool over MCP, see mcp_test.go
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata", RequireUniqueNames: true,
		Setup: setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "tty": cmdTTY, "spawn": cmdSpawn, "screen": cmdScreen, "press": cmdPress,
			"expect": cmdExpect, "signal": cmdSignal, "ended": cmdEnded,
			"capture": cmdCapture, "kill9": cmdKill, "hang": cmdHang, "botapi": cmdBotapi, "appears": cmdAppears,
			"consultant": cmdConsultant, "tracker": cmdTracker,
			"programs": cmdPrograms, "client": cmdClient, "ways": cmdWays, "others": cmdOthers, "zone": cmdZone, "webhook": cmdWebhook,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "history":
				return hasHistory(), nil
			case "all":
				return long.Runs(), nil
			case "ci":
				return long.RunsInCI(), nil
			}
			return false, fmt.Errorf("unknown condition %q; want history, all or ci", name)
		},
	})
}

func cmdTracker(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "tracker NAME")
	ts.Check(tracker.Install(filepath.Join(ts.Getenv("WORK"), "tools"), args[0]))
}

// cmdAppears waits for a file, such as the socket of a coordinator that was spawned. A socket
// appears when a program listens at it: one that was killed leaves the file.
func cmdAppears(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "appears FILE")
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if isThere(ts.MkAbs(args[0])) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s does not appear", args[0])
		}
	}
}

func isThere(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return err == nil
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// A scene is the state of one script.
type scene struct {
	spawned map[string]*spawned
	hung    int    // process id of the coordinator that hangs, 0 for none
	phone   *phone // nil until "botapi start"
}

type sceneKey struct{}

func setup(env *testscript.Env) error {
	work, err := filepath.EvalSymlinks(env.WorkDir)
	if err != nil {
		return err
	}
	own, err := ownFolder(env, work)
	if err != nil {
		return err
	}
	bin, home, tools := os.Getenv(builtVar), filepath.Join(own, "home"), filepath.Join(own, "tools")
	if err := os.MkdirAll(filepath.Join(work, "project"), 0o700); err != nil {
		return err
	}
	exe, err := os.Executable()
	for _, name := range []string{"client", mcpName, clockName} {
		err = errors.Join(err, os.Symlink(exe, filepath.Join(tools, name)))
	}
	if err := errors.Join(err, startClient(work)); err != nil {
		return err
	}
	env.Defer(func() { _ = endClient(work) }) // it fails if a script has ended it
	env.Vars = append(env.Vars,
		"WORK="+work, "BIN="+bin, "HOME="+home, "AFAR_HOME="+filepath.Join(home, "afar"),
		"PATH="+bin+":"+tools+":/usr/bin:/bin", "TZ=UTC", "AFAR_WEB_ADDR=off", asClient+"="+clientSocket(work))
	env.Values[sceneKey{}] = &scene{spawned: map[string]*spawned{}}
	env.Defer(func() { leave(env, filepath.Join(bin, "afar")) })
	return nil
}

// ownFolder makes the folder with the person's home and tools, which links in the script's folder name. As with a
// person, no project has them inside; so behind a wall the rest of the script's folder can be written.
func ownFolder(env *testscript.Env, work string) (own string, err error) {
	made, err := os.MkdirTemp("", "person")
	if err != nil {
		return "", err
	}
	env.Defer(func() { _ = os.RemoveAll(made) }) // the coordinator was stopped before
	if own, err = filepath.EvalSymlinks(made); err != nil {
		return "", err
	}
	for _, name := range []string{"home", "tools"} {
		dir, link := filepath.Join(own, name), filepath.Join(work, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", err
		}
		if err := os.CopyFS(dir, os.DirFS(link)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err := errors.Join(os.RemoveAll(link), os.Symlink(dir, link)); err != nil {
			return "", err
		}
	}
	return own, nil
}

// leave stops the script's coordinator. It kills one that refuses, because a failed script
// may have made this test the client of a session.
func leave(env *testscript.Env, afar string) {
	defer stray.End(env.Getenv("AFAR_HOME")) // a script that failed may leave agents
	tell := func(args ...string) ([]byte, error) {
		c := exec.Command(afar, args...)
		c.Env = env.Vars
		return c.CombinedOutput()
	}
	out, err := tell("stop")
	if err == nil {
		return
	}
	env.T().Log("stop the coordinator: ", string(out), err)
	var s wire.StatusReply
	if out, err := tell("status", "--json"); err == nil && json.Unmarshal(out, &s) == nil && s.Coordinator.PID > 1 {
		_ = syscall.Kill(s.Coordinator.PID, syscall.SIGKILL)
	}
}

func sceneOf(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

func wantArgs(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

func number(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(s)
	ts.Check(err)
	return n
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "exits CODE PROGRAM ARGS…")
	code, err := exitOf(ts.Exec(args[1], args[2:]...))
	ts.Check(err)
	if code != number(ts, args[0]) {
		ts.Fatalf("%q: exit %d, want %s", args[1:], code, args[0])
	}
}

func exitOf(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// command prepares a program with the script's environment.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path := args[0]
	if !strings.ContainsRune(path, filepath.Separator) {
		path = home.LookIn(ts.Getenv("PATH"), path)
	}
	c := exec.Command(path, args[1:]...)
	for _, name := range []string{
		"HOME", "PATH", "TZ", "WORK", "AFAR_HOME", "AFAR_WEB_ADDR", "AFAR_DISABLED",
		"AFAR_TELEGRAM_API", "AFAR_TELEGRAM_TOKEN",
		"AFAR_TELEGRAM_TOKEN_FILE",
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_PROJECT_DIR", "CLAUDE_PID",
		asClient, "BIN", "URL", "TOKEN",
	} {
		if v := ts.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	c.Dir = ts.MkAbs(".")
	return c
}

func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "tty CODE PROGRAM ARGS…")
	c := command(ts, args[1:])
	terminal, err := pty.Start(c)
	ts.Check(err)
	defer terminal.Close()
	_, _ = io.Copy(ts.Stdout(), terminal) // it fails when the program ends
	code, err := exitOf(c.Wait())
	ts.Check(err)
	if code != number(ts, args[0]) {
		ts.Fatalf("%q: exit %d, want %s", args[1:], code, args[0])
	}
}

// A spawned is a program that runs in the background of a script.
type spawned struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // of Wait; valid once done is closed

	terminal *os.File // nil without a terminal

	mu      sync.Mutex
	out     bytes.Buffer
	changed chan struct{} // closed and replaced at each write
}

func (s *spawned) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.out.Write(p)
}

func (s *spawned) printed() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String(), s.changed
}

func cmdSpawn(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "spawn NAME PROGRAM ARGS…")
	s := &spawned{cmd: command(ts, args[1:]), done: make(chan struct{}), changed: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s, s
	s.cmd.WaitDelay = time.Second // a hook that outlives its killed client keeps the pipe
	if in, err := os.ReadFile(ts.MkAbs(args[0] + ".in")); err == nil {
		s.cmd.Stdin = strings.NewReader(os.Expand(string(in), ts.Getenv))
	}
	ts.Check(s.cmd.Start())
	go func() {
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	ts.Defer(func() {
		_ = s.cmd.Process.Kill() // it has usually ended
		<-s.done
	})
	sceneOf(ts).spawned[args[0]] = s
}

// cmdScreen spawns a program at a terminal.
func cmdScreen(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "screen NAME PROGRAM ARGS…")
	s := &spawned{cmd: command(ts, args[1:]), done: make(chan struct{}), changed: make(chan struct{})}
	terminal, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	ts.Check(err)
	s.terminal = terminal
	go func() {
		_, _ = io.Copy(s, terminal) // it fails when the program ends
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	ts.Defer(func() {
		_ = s.cmd.Process.Kill() // it has usually ended
		<-s.done
		terminal.Close()
	})
	sceneOf(ts).spawned[args[0]] = s
}

// pressed replaces the names of keys by what they send.
var pressed = strings.NewReplacer("^C", "\x03", "^M", "\r")

func cmdPress(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "press NAME KEYS")
	_, err := io.WriteString(spawnedAs(ts, args[0]).terminal, pressed.Replace(args[1]))
	ts.Check(err)
}

func spawnedAs(ts *testscript.TestScript, name string) *spawned {
	s := sceneOf(ts).spawned[name]
	if s == nil {
		ts.Fatalf("nothing was spawned as %s", name)
	}
	return s
}

func cmdExpect(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "expect NAME REGEXP [VAR]")
	s, re := spawnedAs(ts, args[0]), regexp.MustCompile(args[1])
	limit := time.After(patience)
	for {
		text, changed := s.printed()
		if m := re.FindStringSubmatch(text); m != nil {
			if len(args) > 2 {
				ts.Setenv(args[2], m[1])
			}
			return
		}
		select {
		case <-changed:
		case <-limit:
			ts.Fatalf("%s did not print %q; it printed %q", args[0], args[1], text)
		}
	}
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "signal NAME")
	ts.Check(spawnedAs(ts, args[0]).cmd.Process.Signal(syscall.SIGTERM))
}

func cmdEnded(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "ended NAME CODE")
	s := spawnedAs(ts, args[0])
	select {
	case <-s.done:
	case <-time.After(patience):
		text, _ := s.printed()
		ts.Fatalf("%s did not end; it printed %q", args[0], text)
	}
	code, err := exitOf(s.err)
	ts.Check(err)
	text, _ := s.printed()
	fmt.Fprint(ts.Stdout(), text)
	if code != number(ts, args[1]) {
		ts.Fatalf("%s: exit %d, want %s; it printed %q", args[0], code, args[1], text)
	}
}

func cmdCapture(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "capture VAR REGEXP")
	out := ts.ReadFile("stdout")
	m := regexp.MustCompile(args[1]).FindStringSubmatch(out)
	if len(m) < 2 {
		ts.Fatalf("no %q in %q", args[1], out)
	}
	ts.Setenv(args[0], m[1])
}

// cmdKill kills the coordinator and returns when it has ended, that is, when the
// connection that it had accepted breaks.
func cmdKill(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "kill9")
	s := statusOf(ts)
	conn, err := net.DialTimeout("unix", s.Coordinator.Socket, patience)
	ts.Check(err)
	defer conn.Close()
	ts.Check(conn.SetReadDeadline(time.Now().Add(patience)))
	ts.Check(syscall.Kill(s.Coordinator.PID, syscall.SIGKILL))
	if _, err := conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		ts.Fatalf("the coordinator outlived SIGKILL")
	}
}

func statusOf(ts *testscript.TestScript) (s wire.StatusReply) {
	out, err := command(ts, []string{"afar", "status", "--json"}).Output()
	ts.Check(err)
	ts.Check(json.Unmarshal(out, &s))
	return s
}

// cmdHang stops the coordinator's process. Its socket still accepts calls, but they get no
// answer.
func cmdHang(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, false, args, 0, "hang")
	scene := sceneOf(ts)
	if neg {
		ts.Check(syscall.Kill(scene.hung, syscall.SIGCONT))
		scene.hung = 0
		return
	}
	pid := statusOf(ts).Coordinator.PID
	scene.hung = pid
	ts.Defer(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may be running again
	ts.Check(host.Hang(pid, patience))
}
