//go:build unix

package e2e

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/wire"
)

// These tests install on a machine without Claude Code. It has a home, a clone, and a shell
// whose PATH has only the tools that the scripts may use.

// patience bounds a wait for a build, which shares the processors with other tests.
const patience = 2 * time.Minute

// bare returns a machine without Afar, whose paths contain blanks. Its Go copies the
// programs that TestMain has built (see ready) until compiles is called.
func bare(t *testing.T) *machine {
	t.Helper()
	long.InCI(t)
	t.Parallel()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing: without it there is no clone to build", tool)
		}
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, clone: filepath.Join(base, "a clone"), home: filepath.Join(base, "a home")}
	if err := os.Rename(clone(t), m.clone); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(m.home, 0o755); err != nil {
		t.Fatal(err)
	}
	m.env = append(shell(m.home), "AFAR_WEB_ADDR=off") // other tests have a page at the same address
	m.goes = fakeGo(t, ready(t, ":"))
	m.path(filepath.Join(m.home, ".local", "bin"), m.goes, tools(t))
	t.Cleanup(func() {
		soon(t, "the end of the build, which would write into a folder that is removed",
			func() bool { return !m.has(".building") })
		m.run("./install.sh", "--uninstall")
	})
	return m
}

// tools returns a directory with the programs that the scripts use, and the named ones.
func tools(t *testing.T, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	names := strings.Fields("sh env git awk basename cat cmp cp dirname find grep ln mkdir mktemp mv nohup " +
		"readlink rm rmdir sed setsid sleep tr uname")
	for _, name := range append(names, more...) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue // setsid is not everywhere
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fakeGo returns a directory with a program `go` that runs a script.
func fakeGo(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// ready returns a script for fakeGo. A build copies the program that TestMain has built from
// the same source in the same way, because linking takes most of the time of an install.
// Each build first runs the command before. Everything else is passed on to Go.
func ready(t *testing.T, before string) string {
	t.Helper()
	goes, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`[ "$1" = build ] || exec '%s' "$@"
%s
for arg; do
  [ "$last" != -o ] || to=$arg
  last=$arg
  case $arg in ./cmd/*) cp '%s'/"${arg#./cmd/}" "$to" || exit 1 ;; esac
done`, goes, before, filepath.Join(root, "bin"))
}

// compiles gives the machine the real Go in the same PATH.
func (m *machine) compiles() {
	m.t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		m.t.Fatal(err)
	}
	write(m.t, m.goes, "go", fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", real))
}

// path replaces the person's PATH.
func (m *machine) path(dirs ...string) {
	m.env = append(m.env, "PATH="+strings.Join(dirs, ":"))
}

func (m *machine) bin(name string) string { return filepath.Join(m.clone, "bin", name) }
func (m *machine) link() string           { return filepath.Join(m.home, ".local", "bin", "afar") }
func (m *machine) alias() string          { return filepath.Join(m.home, ".claude", "commands", "loop.md") }
func (m *machine) shippedAlias() string {
	return read(m.t, filepath.Join(m.clone, "plugin", "alias", "loop.md"))
}
func (m *machine) has(name string) bool   { return there(m.bin(name)) }
func (m *machine) coordinator() (pid int) { return m.status().Coordinator.PID }
func (m *machine) everything() []string {
	return append(names(m.t, filepath.Join(m.clone, "cmd")), "afar.pin")
}
func (m *machine) status() (s wire.StatusReply) { m.decode(&s, "status", "--json"); return s }

func (m *machine) decode(v any, args ...string) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(m.afar(args...)), v); err != nil {
		m.t.Fatal(err)
	}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// soon polls until look returns true.
func soon(t *testing.T, what string, look func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !look(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}

// stamped returns a snapshot with the times of files and directories.
func stamped(t *testing.T, dir string, skip *regexp.Regexp) map[string]string {
	t.Helper()
	files := snapshot(t, dir, skip)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || skip.MatchString(rel) {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			files[rel] += " " + info.ModTime().Format(time.StampNano)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// running reports whether a process runs. A zombie does not run.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return !bytes.Contains(stat, []byte(") Z "))
}

func wants(t *testing.T, said string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q, but:\n%s", w, said)
		}
	}
}

var (
	nothing = regexp.MustCompile(`^$`)
	theBin  = regexp.MustCompile(`^(\.|bin(/.*)?)$`) // and the folder that it is in
	itself  = regexp.MustCompile(`^\.$`)
)

// TestInstallLife installs into an empty home, installs again, uninstalls and uninstalls
// again. The first install compiles. The second uses the programs that TestMain built and
// changes nothing, which shows that they are the same.
func TestInstallLife(t *testing.T) {
	m := bare(t)
	prepared := read(t, filepath.Join(m.goes, "go"))
	m.compiles()
	fresh := snapshot(t, m.clone, nothing)
	testFirst(t, m, fresh)
	write(t, m.goes, "go", prepared)
	pid := m.coordinator()
	if !running(pid) {
		t.Errorf("the coordinator (pid %d) does not run", pid)
	}
	testSecond(t, m)
	if now := m.coordinator(); now != pid {
		t.Errorf("a second install of the same replaced the coordinator: pid %d, then %d", pid, now)
	}
	for range 2 {
		testUninstall(t, m, fresh, pid)
	}
}

func testFirst(t *testing.T, m *machine, fresh map[string]string) {
	said := m.install()
	wants(t, said, "Claude Code was not found on PATH",
		fmt.Sprintf("claude plugin marketplace add '%s' && claude plugin install afar@afar", m.clone),
		"✔  programs", "✔  pin", "✔  command", "✔  /loop", "○  telegram", "○  claude")
	if strings.Contains(said, "✖") || strings.Contains(said, "Warning") {
		t.Errorf("it warns of what is only not set up:\n%s", said)
	}
	if at, err := os.Readlink(m.link()); err != nil || at != m.bin("afar") {
		t.Errorf("the link leads to %q, %v", at, err)
	}
	if read(t, m.alias()) != m.shippedAlias() {
		t.Error("the alias is not the one that is shipped")
	}
	if diff := cmp.Diff([]string{"bin"}, changed(fresh, snapshot(t, m.clone, nothing))); diff != "" {
		t.Errorf("what changed in the clone: %s", diff)
	}
	for _, name := range names(t, filepath.Join(m.clone, "cmd")) {
		wantLean(t, m.bin(name))
	}
}

// testSecond installs again. No file may change, not even its time, except the time of bin/
// itself, where the build runs.
func testSecond(t *testing.T, m *machine) {
	atHome, inClone, inBin := stamped(t, m.home, ownData), stamped(t, m.clone, theBin), stamped(t, m.bin(""), itself)
	said := m.install()
	for _, diff := range []string{
		cmp.Diff(atHome, stamped(t, m.home, ownData)), cmp.Diff(inClone, stamped(t, m.clone, theBin)),
		cmp.Diff(inBin, stamped(t, m.bin(""), itself)),
	} {
		if diff != "" {
			t.Errorf("a second install changed: %s", diff)
		}
	}
	if strings.Contains(said, "Linked") || strings.Contains(said, "Bare /loop") {
		t.Errorf("a second install says that it did what was done:\n%s", said)
	}
}

func testUninstall(t *testing.T, m *machine, fresh map[string]string, pid int) {
	wants(t, m.install("--uninstall"), "claude plugin uninstall afar@afar", "Your own data stays",
		m.home+"/.config/afar", m.home+"/.local/state/afar", m.home+"/afar")
	soon(t, "the end of the coordinator", func() bool { return !running(pid) })
	if diff := cmp.Diff(map[string]string{}, snapshot(t, m.home, ownData)); diff != "" {
		t.Errorf("uninstall leaves in the home: %s", diff)
	}
	if diff := cmp.Diff(fresh, snapshot(t, m.clone, nothing)); diff != "" || there(m.bin("")) {
		t.Errorf("uninstall leaves in the clone: %s", diff)
	}
	if !there(filepath.Join(m.home, ".local/state/afar/afar.db")) {
		t.Error("the person's data is gone")
	}
}

// changed returns the first element of each path that differs.
func changed(before, after map[string]string) []string {
	var tops []string
	for _, name := range changes(before, after) {
		top, _, _ := strings.Cut(name, string(filepath.Separator))
		tops = append(tops, top)
	}
	slices.Sort(tops)
	return slices.Compact(tops)
}

// wantLean checks that a program is static and has no symbols.
func wantLean(t *testing.T, path string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return // there are no static programs elsewhere
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s is not static", path)
		}
	}
	for _, name := range []string{".symtab", ".debug_info", ".zdebug_info"} {
		if f.Section(name) != nil {
			t.Errorf("%s has %s", path, name)
		}
	}
}

func TestInstallPrefix(t *testing.T) {
	m := bare(t)
	one, two := filepath.Join(filepath.Dir(m.home), "one"), filepath.Join(filepath.Dir(m.home), "two")
	wants(t, m.install("--prefix", one, "--no-loop-alias"), "Linked "+one+"/bin/afar", one+"/bin is not on your PATH")
	if there(m.link()) || there(filepath.Join(m.home, ".claude")) {
		t.Error("a link or an alias was made that was not wanted")
	}
	if out, code := m.run(filepath.Join(one, "bin", "afar"), "status"); code != 0 {
		t.Errorf("through the link: exit %d: %s", code, out)
	}
	m.env = append(m.env, "PREFIX="+two)
	wants(t, m.install("--no-loop-alias"), "Linked "+two+"/bin/afar")

	m.env = append(m.env, "PREFIX=")
	wants(t, m.install("--uninstall"), "Removed "+one+"/bin/afar", "Removed "+two+"/bin/afar")
	for _, dir := range []string{one, two} {
		if left := names(t, filepath.Join(dir, "bin")); len(left) > 0 {
			t.Errorf("uninstall leaves %v in %s", left, dir)
		}
	}
}

func TestInstallAlias(t *testing.T) {
	m := bare(t)
	write(t, filepath.Dir(m.alias()), "loop.md", "mine\n")
	before := stamped(t, filepath.Dir(m.alias()), nothing)
	for _, said := range []string{m.install(), m.install("--uninstall")} {
		wants(t, said, "Left "+m.alias()+": it is not Afar's. Afar's loop is /afar:loop.")
		if diff := cmp.Diff(before, stamped(t, filepath.Dir(m.alias()), nothing)); diff != "" {
			t.Errorf("the person's own command changed: %s", diff)
		}
	}
	edited := m.shippedAlias() + "and one thing more\n"
	write(t, filepath.Dir(m.alias()), "loop.md", edited)
	wants(t, m.install("--uninstall"), "Left "+m.alias()+": you have changed it.")
	if read(t, m.alias()) != edited {
		t.Error("uninstall changed an alias that the person has changed")
	}
	write(t, filepath.Dir(m.alias()), "loop.md", m.shippedAlias())
	wants(t, m.install("--uninstall"), "Removed "+m.alias())
	if there(m.alias()) {
		t.Error("uninstall leaves its own alias")
	}
}

// TestInstallRefuses: install.sh says what it cannot work with and changes nothing, whether
// Afar was installed before or not.
func TestInstallRefuses(t *testing.T) {
	m := bare(t)
	plain := tools(t)
	const builds = `[ "$1" = env ] && echo go1.26.0 && exit; `
	tests := []struct {
		name, script, link string
		want               []string
	}{
		{name: "no Go", want: []string{"Go was not found on PATH", "Go 1.26 or newer", "https://go.dev/dl"}},
		{name: "old Go", script: "echo go1.21.5", want: []string{"Go 1.26 or newer is needed; this is go1.21.5",
			"https://go.dev/dl"}},
		{name: "Go 1.9", script: "echo go1.9", want: []string{"this is go1.9"}},
		{name: "old Go that reads go.mod", script: "echo 'go.mod requires go >= 1.26 (running go 1.21.5)' >&2; exit 1",
			want: []string{"Go 1.26 or newer is needed", "running go 1.21.5"}},
		{name: "no network", script: builds + "echo no route to host >&2; exit 1",
			want: []string{"no route to host", "the build failed", "GOPROXY"}},
		{name: "Go with known vulnerabilities", script: builds + "exit 1",
			want: []string{"builds with go1.26.0", "known vulnerabilities", "GOTOOLCHAIN=auto"}},
		{name: "another afar", script: builds + "exit 1", link: "#!/bin/sh\n",
			want: []string{m.link() + " is there and is not Afar's", "--prefix"}},
	}
	for _, tt := range tests {
		for _, before := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, there before: %v", tt.name, before), func(t *testing.T) {
				m := &machine{t: t, clone: m.clone, home: m.home, env: slices.Clone(m.env)}
				prepare(t, m, tt.link, before)
				m.path(plain)
				if tt.script != "" {
					m.path(fakeGo(t, tt.script), plain)
				}
				wantUntouched(t, m, 1, tt.want)
			})
		}
	}
}

// prepare empties the home and bin/, and creates what the case needs.
func prepare(t *testing.T, m *machine, link string, before bool) {
	t.Helper()
	for _, dir := range []string{m.bin(""), filepath.Dir(m.link())} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if link != "" {
		write(t, filepath.Dir(m.link()), "afar", link)
	}
	if before {
		write(t, m.bin(""), "hook-stop", "the old one")
	}
}

func wantUntouched(t *testing.T, m *machine, exit int, words []string, args ...string) string {
	t.Helper()
	atHome, inClone, hadBin := stamped(t, m.home, nothing), snapshot(t, m.clone, nothing), there(m.bin(""))
	said, code := m.run("./install.sh", args...)
	if code != exit {
		t.Errorf("%q: exit %d, want %d", args, code, exit)
	}
	wants(t, said, words...)
	if diff := cmp.Diff(atHome, stamped(t, m.home, nothing)); diff != "" {
		t.Errorf("it changed the home: %s", diff)
	}
	if diff := cmp.Diff(inClone, snapshot(t, m.clone, nothing)); diff != "" || hadBin != there(m.bin("")) {
		t.Errorf("it changed the clone: %s", diff)
	}
	return said
}

func TestInstallUsage(t *testing.T) {
	m := bare(t)
	for args, word := range map[string]string{
		"--nonsense": "unknown option: --nonsense", "--uninstall -x": "unknown option: -x",
		"here":     "unknown option: here",
		"--prefix": "--prefix needs a directory", "--prefix=": "unknown option: --prefix=",
	} {
		wantUntouched(t, m, 2, []string{word, "usage: ./install.sh", "--uninstall", "Exit codes"},
			strings.Fields(args)...)
	}
	wantUntouched(t, m, 0, []string{"usage: ./install.sh", "--no-loop-alias"}, "--help")
}

// TestInstallUpdate: an update while two hooks wait for the person does not lose the
// answers, which must reach the earlier programs.
func TestInstallUpdate(t *testing.T) {
	long.Only(t)
	m := bare(t)
	m.install("--no-loop-alias")
	yes, no := m.asks("touch yes"), m.asks("touch no")
	open := m.openAsks(2)
	before, pid := snapshot(t, m.bin(""), nothing), m.coordinator()

	source := filepath.Join("coordinator", "client", "start.go")
	write(t, m.clone, source, read(t, filepath.Join(m.clone, source))+"\n// Updated is new.\nvar Updated = true\n")
	m.compiles()
	m.install("--no-loop-alias")
	after := snapshot(t, m.bin(""), nothing)
	for _, name := range []string{"afar", "hook-permission-request"} {
		if before[name] == after[name] {
			t.Fatalf("the update did not change %s, so it proves nothing", name)
		}
	}
	if m.coordinator() == pid {
		t.Error("the coordinator is still the old one")
	}
	if diff := cmp.Diff(open, m.openAsks(2)); diff != "" {
		t.Errorf("the open questions changed: %s", diff)
	}
	wants(t, m.atTerminal("allow", open["touch yes"]), "Allowed")
	wants(t, m.afar("deny", open["touch no"], "-m", "not today"), "Denied")
	wants(t, <-yes, `"hookEventName":"PermissionRequest"`, `"behavior":"allow"`)
	wants(t, <-no, `"hookEventName":"PermissionRequest"`, `"behavior":"deny"`, "not today")
}

// asks runs the hook of a session that wants to run a command, and sends its output. A shell
// is the client, because a person's command must not descend from the client.
func (m *machine) asks(command string) <-chan string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	cmd := exec.CommandContext(ctx, "sh", "-c", `"$0"; exit $?`, m.bin("hook-permission-request"))
	cmd.Env = append(slices.Clone(m.env), "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_ENTRYPOINT=cli")
	cmd.Stdin = strings.NewReader(m.payload("PermissionRequest", command,
		`"tool_name":"Bash","tool_input":{"command":"`+command+`","description":"try"},"permission_mode":"default"`))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	said := make(chan string, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = fmt.Appendf(out, "\nthe hook ended with %v", err)
		}
		said <- string(out)
	}()
	m.t.Cleanup(func() { cancel(); <-ended })
	return said
}

// payload returns the host's input for a hook in a project in the home.
func (m *machine) payload(event, session, more string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"cwd":%q,"hook_event_name":%q,%s}`,
		strings.ReplaceAll(session, " ", "-"), filepath.Join(m.home, "transcript.jsonl"), m.home, event, more)
}

// openAsks waits until n questions are open. It returns their ids by command.
func (m *machine) openAsks(n int) map[string]string {
	m.t.Helper()
	ids := map[string]string{}
	soon(m.t, fmt.Sprintf("%d open questions", n), func() bool {
		var found wire.AsksReply
		m.decode(&found, "asks", "--json")
		for _, a := range found.Asks {
			ids[a.Input] = a.ID
		}
		return len(found.Asks) == n
	})
	return ids
}

// atTerminal runs a command at a terminal, which an allow needs.
func (m *machine) atTerminal(args ...string) string {
	m.t.Helper()
	cmd := exec.Command(m.link(), args...)
	cmd.Env = m.env
	screen, err := pty.Start(cmd)
	if err != nil {
		m.t.Fatal(err)
	}
	defer screen.Close()
	out, _ := io.ReadAll(screen) // ends with an error where the other side has gone
	if err := cmd.Wait(); err != nil {
		m.t.Errorf("afar %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestInstallFromGit: the plugin works as the host fetches it, without bin/.
func TestInstallFromGit(t *testing.T) {
	m := bare(t)
	m.compiles()
	n := m.sessionStart("first")
	wants(t, n, "The guard works in this session")
	if !m.has("hook-pre-tool-use") {
		t.Error("the guard is not there when the hook returns")
	}
	m.awaitBuilt()
	if runtime.GOOS == "linux" { // elsewhere a hook cannot see what the client was started with
		wants(t, read(t, m.bin("afar.pin")), "\nroot \n", "\nuser "+m.home+"\n")
	}

	before := stamped(t, m.bin(""), nothing)
	out, code := m.hookStart("second")
	if code != 0 || strings.Contains(out, "systemMessage") {
		t.Errorf("with everything built: exit %d, %s", code, out)
	}
	soon(t, "the session in the journal: hook-session-start leaves the registration to a process of its own",
		func() bool {
			journal, _ := m.run(m.bin("afar"), "log")
			return strings.Contains(journal, "started in "+m.home)
		})
	if diff := cmp.Diff(before, stamped(t, m.bin(""), nothing)); diff != "" {
		t.Errorf("a second start changed bin/: %s", diff)
	}
}

// TestInstallFromGitAtOnce opens five sessions at the same time.
func TestInstallFromGitAtOnce(t *testing.T) {
	long.Only(t)
	m := bare(t)
	log := filepath.Join(filepath.Dir(m.home), "builds")
	m.path(fakeGo(t, ready(t, fmt.Sprintf(`echo "$*" >>'%s'; sleep 0.2`, log))), tools(t)) // a build takes its time
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() { wants(t, m.sessionStart(fmt.Sprint("session ", i)), "The guard works in this session") })
	}
	all.Wait()
	m.awaitBuilt()
	if want, got := len(names(t, filepath.Join(m.clone, "cmd"))), strings.Count(read(t, log), "\n"); got != want {
		t.Errorf("%d programs were built in %d builds:\n%s", want, got, read(t, log))
	}
}

func TestInstallFromGitWithoutGo(t *testing.T) {
	m := bare(t)
	m.path(fakeGo(t, "echo 'go.mod requires go >= 1.26 (running go 1.21.5)' >&2; exit 1"), tools(t))
	before := stamped(t, m.clone, nothing)
	wants(t, m.sessionStart("one"), "Afar is not active", "Go 1.26 or newer was not found", "https://go.dev/dl",
		"refuses every tool call", "run install.sh", "claude plugin disable afar@afar")
	if diff := cmp.Diff(before, stamped(t, m.clone, nothing)); diff != "" {
		t.Errorf("it changed: %s", diff)
	}
}

func TestInstallFromGitBroken(t *testing.T) {
	m := bare(t)
	m.compiles()
	write(t, m.clone, "cmd/hook-pre-tool-use/main.go", "package main\n\nfunc main() { broken }\n")
	wants(t, m.sessionStart("one"), "Afar is not active: building its programs failed", "bin/build.log",
		"refuses every tool call", "run install.sh", "claude plugin disable afar@afar")
	wants(t, read(t, m.bin("build.log")), "undefined: broken")
	if m.has("hook-session-start") {
		t.Error("the next session will not try again")
	}
}

// awaitBuilt waits for the build in the background.
func (m *machine) awaitBuilt() {
	m.t.Helper()
	soon(m.t, "the programs: the build runs on after the hook has returned", func() bool {
		return m.has("hook-session-start") && !m.has(".building")
	})
	want := append(m.everything(), "build.log")
	slices.Sort(want)
	if diff := cmp.Diff(want, names(m.t, m.bin(""))); diff != "" {
		m.t.Errorf("bin/ holds: %s\n%s", diff, read(m.t, m.bin("build.log")))
	}
}

// sessionStart checks that start.sh prints one notice, and returns its text.
func (m *machine) sessionStart(session string) string {
	m.t.Helper()
	out, code := m.hookStart(session)
	var notice struct {
		SystemMessage      string
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	err := json.Unmarshal([]byte(out), &notice)
	h := notice.HookSpecificOutput
	want := 1 // there is no guard
	if strings.Contains(notice.SystemMessage, "The guard works in this session") {
		want = 0
	}
	if code != want || err != nil || strings.Count(out, "\n") != 1 || h.HookEventName != "SessionStart" ||
		h.AdditionalContext != notice.SystemMessage {
		m.t.Errorf("start.sh: exit %d, %v, prints %q", code, err, out)
	}
	return notice.SystemMessage
}

// hookStart runs start.sh as a client would, in a project whose settings try to move Afar and
// to influence the build.
func (m *machine) hookStart(session string) (string, int) {
	m.t.Helper()
	args := []string{"-c", `"$@"; exit $?`, "client", "env"}
	if runtime.GOOS == "linux" {
		evil := filepath.Join(m.home, "evil")
		args = append(args, "HOME="+evil, "AFAR_HOME="+evil, "XDG_STATE_HOME="+evil, "GOFLAGS=-mod=evil",
			"GOCACHE="+evil, "GOOS=plan9")
	}
	cmd := exec.Command("sh", append(args, "sh", filepath.Join(m.clone, "plugin", "start.sh"))...)
	cmd.Dir, cmd.Env = m.home, append(slices.Clone(m.env), "CLAUDE_PLUGIN_ROOT="+m.clone)
	cmd.Stdin = strings.NewReader(m.payload("SessionStart", session, `"source":"startup"`))
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		m.t.Errorf("start.sh: %v", err)
	}
	return stdout.String(), cmd.ProcessState.ExitCode()
}
