//go:build unix

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// key is the API key that the client sends to the loopback model. It is not a real key.
const key = "sk-ant-fake-key-for-loopback"

// Opts are the options of a Lab. The zero value is a new, trusted project.
type Opts struct {
	Env       map[string]string // over the lab's own environment
	Settings  any               // becomes ~/.claude/settings.json
	PluginDir string            // loaded with --plugin-dir by every run
	Columns   int               // of the terminal; default 140
	Rows      int               // default 45
}

// A Lab is one home, one git project and one client. It is removed when the test ends.
type Lab struct {
	Home    string // HOME of the client
	Project string // its working directory: a git repository with one commit on main
	Temp    string // its TMPDIR

	t      testing.TB
	client string
	opts   Opts
	env    map[string]string
}

// NewLab prepares a home that skips the client's first-run questions and trusts the
// project. The client gets only PATH from the environment of the test.
func NewLab(t testing.TB, client, modelURL string, o Opts) *Lab {
	t.Helper()
	l := &Lab{t: t, client: client, opts: o}
	dir := l.place()
	l.Home, l.Project, l.Temp = filepath.Join(dir, "home"), filepath.Join(dir, "project"), filepath.Join(dir, "tmp")
	for _, d := range []string{filepath.Join(l.Home, ".claude"), l.Project, l.Temp} {
		l.must(os.MkdirAll(d, 0o700))
	}
	l.env = l.environment(modelURL)
	l.write(filepath.Join(l.Home, ".claude.json"), l.onboarded())
	l.must(noPage(l.Home))
	if o.Settings != nil {
		l.write(filepath.Join(l.Home, ".claude", "settings.json"), o.Settings)
	}
	l.git("init", "-q", "-b", "main")
	l.git("-c", "user.email=lab@localhost", "-c", "user.name=lab", "commit", "-q", "--allow-empty", "-m", "init")
	return l
}

// noPage switches Afar's page off below a home without AFAR_HOME: all homes would have it at
// the same address.
func noPage(home string) error {
	dir := filepath.Join(home, ".config", "afar")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte("[web]\naddr = \"off\"\n"), 0o600)
}

// place makes the lab's directory. Its path is short, because it contains sockets. Its
// removal is repeated, because a client that ends still writes there.
func (l *Lab) place() string {
	dir, err := os.MkdirTemp("", "lab")
	l.must(err)
	dir, err = filepath.EvalSymlinks(dir)
	l.must(err)
	l.t.Cleanup(func() {
		for end := time.Now().Add(5 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(end); {
			time.Sleep(50 * time.Millisecond) // there is no signal for "the client wrote its last file"
		}
	})
	return dir
}

func (l *Lab) environment(modelURL string) map[string]string {
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": l.Home, "TMPDIR": l.Temp,
		"LANG": "C.UTF-8", "TERM": "xterm-256color",
		"AFAR_WEB_ADDR":      "off",
		"ANTHROPIC_BASE_URL": modelURL, "ANTHROPIC_API_KEY": key,
		"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"IS_SANDBOX":                   "1", // lets root use bypassPermissions
		"CLAUDE_CODE_AUTO_MODE_SERVER": "0", // auto mode asks the stand-in model itself for its verdicts
	}
	maps.Copy(env, l.opts.Env)
	return env
}

func (l *Lab) onboarded() any {
	trusted := map[string]any{
		"hasTrustDialogAccepted":        true,
		"hasCompletedProjectOnboarding": true,
		"allowedTools":                  []string{},
	}
	return map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "autoUpdates": false,
		"customApiKeyResponses": map[string]any{
			"approved": []string{key[len(key)-20:]},
			"rejected": []string{},
		},
		"projects":                      map[string]any{l.Project: trusted},
		"bypassPermissionsModeAccepted": true,
		"lastReleaseNotesSeen":          Current,
	}
}

// Env returns the client's environment as NAME=value, sorted.
func (l *Lab) Env() []string {
	var out []string
	for k, v := range l.env {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return out
}

// Command returns a command of the client (`plugin list`, …) that is ready to run in the
// project. When ctx ends, its whole process group is killed.
func (l *Lab) Command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, l.client, args...)
	c.Env, c.Dir = l.Env(), l.Project
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = 2 * time.Second
	return c
}

// A Result is the result of one `claude -p`.
type Result struct {
	Events  []Event
	Text    string // the last answer, as the client reports it
	IsError bool
	Session string
	Exit    int
	Stderr  string
}

// An Event is one line of stream-json.
type Event struct {
	Type    string          `json:"type"`
	Subtype string          `json:"subtype"`
	Raw     json.RawMessage `json:"-"`
}

// Print runs `claude -p` with this prompt to its end. An exit code is not an
// error. It is an error if the client did not start, was killed by ctx or printed no JSON.
func (l *Lab) Print(ctx context.Context, prompt string, args ...string) (Result, error) {
	all := append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose"}, l.plugged(args)...)
	c := l.Command(ctx, all...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("run client: %w: %s", ctx.Err(), stderr.String())
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("run client: %w", err)
	}
	r := Result{Exit: c.ProcessState.ExitCode(), Stderr: stderr.String()}
	return r, r.read(stdout.Bytes())
}

func (r *Result) read(stdout []byte) error {
	for line := range bytes.Lines(stdout) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		e := Event{Raw: line}
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read event %.200q: %w", line, err)
		}
		r.Events = append(r.Events, e)
		if e.Type != "result" {
			continue
		}
		var end struct {
			Result  string `json:"result"`
			IsError bool   `json:"is_error"`
			Session string `json:"session_id"`
		}
		if err := json.Unmarshal(line, &end); err != nil {
			return fmt.Errorf("read result: %w", err)
		}
		r.Text, r.IsError, r.Session = end.Result, end.IsError, end.Session
	}
	return nil
}

// InstallPlugin installs afar@afar from the repository at root, as a person would.
func (l *Lab) InstallPlugin(root string) {
	l.t.Helper()
	l.Run("plugin", "marketplace", "add", root)
	l.Run("plugin", "install", "afar@afar")
}

// Run runs a command of the client and returns its output.
func (l *Lab) Run(args ...string) string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := l.Command(ctx, args...).CombinedOutput()
	if err != nil {
		l.t.Fatalf("claude %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (l *Lab) plugged(args []string) []string {
	if l.opts.PluginDir == "" {
		return args
	}
	return append([]string{"--plugin-dir", l.opts.PluginDir}, args...)
}

func (l *Lab) git(args ...string) {
	l.t.Helper()
	c := exec.Command("git", args...)
	c.Env, c.Dir = l.Env(), l.Project
	if out, err := c.CombinedOutput(); err != nil {
		l.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (l *Lab) write(path string, v any) {
	l.t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	l.must(err)
	l.must(os.WriteFile(path, b, 0o600))
}

func (l *Lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatalf("prepare lab: %v", err)
	}
}

// Client makes the lab use another executable from now on.
func (l *Lab) Client(path string) { l.client = path }

// Set puts a variable into the client's environment.
func (l *Lab) Set(name, value string) { l.env[name] = value }

// Unset takes a variable out of the client's environment.
func (l *Lab) Unset(name string) { delete(l.env, name) }
