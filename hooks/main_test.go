package hooks_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/standin/stray"
)

// bins is the directory of the real hook binaries, which are built once. It has no `afar`,
// because most of these tests are about hooks that find no coordinator. whole has the same
// binaries and `afar`.
var bins, whole string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "--version" { // a hook asks its client
		fmt.Println(claude.Newest + " (Claude Code)")
		os.Exit(0)
	}
	flag.Parse()
	if isFuzzing() { // the workers run no binary
		os.Exit(m.Run())
	}
	_ = flag.Set("test.parallel", "300") // the tests mostly wait
	dir, err := os.MkdirTemp("", "afar-hooks-")
	if err != nil {
		panic(err)
	}
	bins, whole = filepath.Join(dir, "hooks"), filepath.Join(dir, "whole")
	if err := buildAll(); err != nil {
		fmt.Fprintln(os.Stderr, "build the binaries:", err)
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

// isFuzzing reports whether go test fuzzes, in this process or its parent.
func isFuzzing() bool {
	worker := flag.Lookup("test.fuzzworker").Value.String() == "true"
	return worker || flag.Lookup("test.fuzz").Value.String() != ""
}

func buildAll() error {
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", whole+"/", "../cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // like install.sh: it saves a third of the start-up time
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	return errors.Join(os.Mkdir(bins, 0o700), link(filepath.Join(whole, "hook-*"), bins))
}

// link links the files of a pattern into a directory.
func link(pattern, dir string) error {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		err = errors.Join(err, os.Link(name, filepath.Join(dir, filepath.Base(name))))
	}
	return err
}

// copied returns a copy of a directory, like that of an installation. The system maps a
// copy, which is written from start to end, faster than the linker's file.
func copied(tb testing.TB, from string) string {
	tb.Helper()
	to := tb.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		tb.Fatal(err)
	}
	return to
}

// installed returns a copy of a directory of binaries with a pin, as after an
// installation. The pin fixes Afar's home below root.
func installed(tb testing.TB, from, root string) (bin string) {
	tb.Helper()
	bin = copied(tb, from)
	env := map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar"), "PATH": "/usr/bin:/bin"}
	dirs, err := home.FromEnv(func(name string) string { return env[name] })
	if err == nil {
		err = errors.Join(home.WritePin(bin, dirs), dirs.Make(),
			os.WriteFile(dirs.ConfigFile(), []byte("[web]\naddr = \"off\"\n"), 0o600))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return bin
}

// homeDir returns a directory for a test. It ignores an error when it removes the
// directory, because the detached copy of a hook may still write into it.
func homeDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "afar-hook-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A result is the outcome of a hook as the host sees it.
type result struct {
	code           int
	stdout, stderr string
	cpu            time.Duration // unlike the elapsed time, it does not depend on other processes
}

// runHook runs a real hook binary in a home of its own.
func runHook(t *testing.T, name, home string, env []string, stdin string) result {
	t.Helper()
	cmd := exec.Command(filepath.Join(bins, name))
	cmd.Env = append([]string{"HOME=" + home, "AFAR_HOME=" + filepath.Join(home, "afar"), "PATH=/usr/bin:/bin"}, env...)
	cmd.Dir = home
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	st := cmd.ProcessState
	return result{st.ExitCode(), out.String(), errs.String(), st.UserTime() + st.SystemTime()}
}

var (
	attended   = []string{"CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_ENTRYPOINT=cli"}
	unattended = []string{"CLAUDE_CODE_SESSION_ATTENDED=0", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"}
)

// payload returns a hook input as the host sends it.
func payload(event, rest string) string {
	if !strings.Contains(rest, `"permission_mode"`) {
		rest += `,"permission_mode":"default"`
	}
	const session = `"session_id":"9b84dedd-112a-4f6c-91a2-0fc3fad1e5c7","cwd":"/tmp/p",` +
		`"transcript_path":"/h/.claude/projects/p/s.jsonl"`
	return fmt.Sprintf("{%s,\"hook_event_name\":%q%s}\n", session, event, rest)
}

func bash(command string) string {
	return fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":"toolu_1",`+
		`"tool_input":{"command":%q,"description":"t"}`, command)
}

// binary returns the name of an event's binary.
func binary(event string) string {
	var b strings.Builder
	b.WriteString("hook")
	for _, r := range event {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
