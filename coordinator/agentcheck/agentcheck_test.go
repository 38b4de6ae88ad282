//go:build unix

package agentcheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A bench is a home with a PATH of one directory.
type bench struct {
	t    *testing.T
	dirs home.Dirs
	vars map[string]string
	set  config.Agents
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{
		t: t,
		dirs: home.Dirs{
			User:  filepath.Join(dir, "home"),
			State: filepath.Join(dir, "state"),
			Path:  filepath.Join(dir, "bin") + ":/usr/bin:/bin",
		},
		vars: map[string]string{"USER": "ann"},
		set:  config.Agents{},
	}
	return b
}

func (b *bench) write(path, text string, mode os.FileMode) string {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bench) bin() string { return filepath.SplitList(b.dirs.Path)[0] }

// installs puts a program on PATH that says a version.
func (b *bench) installs(name, version string) {
	b.t.Helper()
	b.write(filepath.Join(b.bin(), name), "#!/bin/sh\necho "+version+"\n", 0o700)
}

// signsIn gives claude its credentials.
func (b *bench) signsIn() {
	b.write(filepath.Join(b.dirs.User, ".claude", ".credentials.json"),
		`{"claudeAiOauth":{"accessToken":"t"}}`, 0o600)
}

// ran notes the last turn of claude.
func (b *bench) ran(path, about string) {
	b.write(b.dirs.LastProgram("claude"), `{"path":"`+path+`","real":"`+path+`","about":"`+about+`"}`, 0o600)
}

func (b *bench) checks() []wire.Check {
	getenv := func(name string) string { return b.vars[name] }
	return Place{Dirs: b.dirs, Getenv: getenv}.Checks(b.t.Context(), b.set)
}

func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*bench)
		agent string
		state string // "" for no check
		says  string
	}{
		"signed in":  {func(b *bench) {}, "claude", "ok", claude.Newest + " (Claude Code), signs in with"},
		"not set up": {func(b *bench) {}, "codex", "", ""},
		"not installed": {func(b *bench) { b.dirs.Path = "/none" }, "claude", "off",
			"not on the PATH of the coordinator, /none"},
		"no PATH": {func(b *bench) { b.dirs.Path = "" }, "claude", "off", "which is empty"},
		"wanted, not there": {func(b *bench) { b.set["codex"] = config.Agent{} }, "codex", "bad",
			"codex is not on the PATH"},
		"removed itself": {func(b *bench) { b.ran("/gone/claude", "m, Claude Code 2.1.1"); b.dirs.Path = "/x" },
			"claude", "bad", "its last turn ran /gone/claude, m, Claude Code 2.1.1"},
		"not signed in": {func(b *bench) { os.RemoveAll(b.dirs.User) }, "claude", "off",
			"no credentials of it were found"},
		"signed in to a server of tools alone": {func(b *bench) {
			b.write(filepath.Join(b.dirs.User, ".claude", ".credentials.json"),
				`{"mcpOAuth":{"plugin:afar:afar":{"accessToken":""}}}`, 0o600)
		}, "claude", "off", "no credentials of it were found"},
		"signed out": {func(b *bench) {
			b.write(filepath.Join(b.dirs.User, ".claude", ".credentials.json"), `{"claudeAiOauth":{"accessToken":""}}`,
				0o600)
		}, "claude", "off", "no credentials of it were found"},
		"broken credentials": {func(b *bench) {
			b.write(filepath.Join(b.dirs.User, ".claude", ".credentials.json"), `{"claudeAi`, 0o600)
		}, "claude", "off", "its credentials cannot be read"},
		"no HOME": {func(b *bench) { b.dirs.User = "" }, "claude", "bad", "HOME is not set"},
		"does not start": {func(b *bench) { b.write(filepath.Join(b.bin(), "claude"), "#!/no/such\n", 0o700) },
			"claude", "bad", "does not start for the coordinator"},
		"fails": {func(b *bench) {
			b.write(filepath.Join(b.bin(), "claude"), "#!/bin/sh\necho no node >&2; exit 127\n", 0o700)
		}, "claude", "bad", "no node"},
		"the same as before": {func(b *bench) { b.ran(filepath.Join(b.bin(), "claude"), "m, Claude Code "+claude.Newest) },
			"claude", "ok", ""},
		"no version before": {func(b *bench) { b.ran(filepath.Join(b.bin(), "claude"), "m") }, "claude", "ok", ""},
		"updated itself": {func(b *bench) { b.ran(filepath.Join(b.bin(), "claude"), "m, Claude Code 2.1.329") },
			"claude", "off", "replaced since its last turn"},
		"moved": {func(b *bench) { b.ran("/elsewhere/claude", "m, Claude Code "+claude.Newest) }, "claude",
			"off", "replaced since its last turn, which ran /elsewhere/claude"},
		"key in the env_file": {func(b *bench) { b.keys("claude", "ANTHROPIC_API_KEY=k", 0o600) }, "claude", "ok",
			"signs in with ANTHROPIC_API_KEY"},
		"open env_file": {func(b *bench) { b.keys("claude", "ANTHROPIC_API_KEY=k", 0o644) }, "claude", "bad",
			"can be read by others"},
		"no env_file": {func(b *bench) { b.set["claude"] = config.Agent{EnvFile: "/none"} }, "claude", "bad",
			"no such file"},
		"codex with a key": {func(b *bench) {
			b.installs("codex", "codex-cli 0.169.0")
			b.keys("codex", "OPENAI_API_KEY=k", 0o600)
		}, "codex", "ok", "codex-cli 0.169.0, signs in with OPENAI_API_KEY"},
		"codex with a sign-in": {func(b *bench) {
			b.installs("codex", "codex-cli 1")
			b.write(filepath.Join(b.dirs.User, ".codex", "auth.json"), `{"tokens":{"access_token":"t"}}`, 0o600)
		}, "codex", "ok", "auth.json"},
		"codex, installed": {func(b *bench) { b.installs("codex", "codex-cli 1") }, "codex", "off", "no credentials"},
		"another agent": {func(b *bench) {
			b.installs("gem", "1.2.3")
			b.set["gem"] = config.Agent{Protocol: config.ACP, Command: []string{"gem", "--acp"}}
		}, "gem", "ok", "1.2.3"},
		"what claude can do": {func(b *bench) {}, "claude", "ok", "; the guard judges every call"},
		"what codex can do": {func(b *bench) { b.installs("codex", "1"); b.keys("codex", "OPENAI_API_KEY=k", 0o600) },
			"codex", "ok", "; the guard judges asked calls only; it cannot take a message during a turn, go on " +
				"with a turn"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.installs("claude", "'"+claude.Newest+" (Claude Code)'")
			b.signsIn()
			c.spoil(b)
			var got wire.Check
			for _, found := range b.checks() {
				if found.ID == "agent "+c.agent {
					got = found
				}
			}
			if got.State != c.state || !strings.Contains(got.Text, c.says) {
				t.Errorf("%+v, want %s %q", got, c.state, c.says)
			}
			if (got.Fix == "") != (c.state == "ok" || c.state == "") {
				t.Errorf("the fix of %s is %q", c.state, got.Fix)
			}
			for _, secret := range []string{"=k", "\n"} {
				if strings.Contains(got.Text+got.Fix, secret) {
					t.Errorf("the check shows %q: %+v", secret, got)
				}
			}
		})
	}
}

func (b *bench) keys(agent, text string, mode os.FileMode) {
	path := b.write(filepath.Join(b.dirs.State, "keys"), text+"\n", mode)
	b.set[agent] = config.Agent{EnvFile: path}
}

func TestMissing(t *testing.T) {
	b := newBench(t)
	b.installs("claude", "1.2.3")
	for path, want := range map[string]string{b.dirs.Path: "codex", "/none": "claude codex"} {
		got := strings.Join(Missing(config.Agents{"codex": {}}, path, b.dirs.Path), " ")
		if got != want {
			t.Errorf("%s lacks %q, want %q", path, got, want)
		}
	}
	if got := Missing(config.Agents{}, "/none", "/none"); got != nil {
		t.Errorf("where nothing is installed, %q are missing", got)
	}
}
