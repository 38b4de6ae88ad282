package main

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

// install creates an installation with programs and the plugin.
func install(t *testing.T, s *shell) {
	t.Helper()
	root := filepath.Dir(s.bin)
	for _, dir := range []string{s.bin, root + "/plugin"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root+"/plugin/hooks.json",
		`{"x": "${CLAUDE_PLUGIN_ROOT}/bin/hook-stop", "y": "${CLAUDE_PLUGIN_ROOT}/plugin/start.sh"}`, 0o600)
	for _, name := range []string{"afar", "hook-stop", "hook-session-start"} {
		write(t, s.bin+"/"+name, "#!/bin/sh\n", 0o700)
	}
	if err := home.WritePin(s.bin, s.dirs()); err != nil {
		t.Fatal(err)
	}
	if err := s.dirs().Make(); err != nil {
		t.Fatal(err)
	}
}

// pageAt has the page served at an address, and Claude Code set another one for its programs.
func pageAt(s *shell, served, host string) {
	s.env[config.WebAddrVar] = ""
	write(s.t, s.dirs().ConfigFile(), "[web]\naddr = \""+served+"\"\n", 0o600)
	dir := s.dirs().HostDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	write(s.t, filepath.Join(dir, "settings.json"), `{"env": {"`+config.WebAddrVar+`": "`+host+`"}}`, 0o600)
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestDoctor(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*shell)
		check string
		state string
		says  string
	}{
		{"installed", func(*shell) {}, "programs", "ok", "2 hooks"},
		{"pinned", func(*shell) {}, "pin", "ok", ""},
		{"closed", func(*shell) {}, "directories", "ok", ""},
		{"typed", func(*shell) {}, "command", "ok", ""},
		{"not running", func(*shell) {}, "coordinator", "off", "does not run"},
		{"no host", func(*shell) {}, "claude", "off", "not on PATH"},
		{"no alias", func(*shell) {}, "/loop", "off", "/afar:loop"},
		{"a hook is missing", func(s *shell) { os.Remove(s.bin + "/hook-stop") }, "programs", "bad",
			"hook-stop missing"},
		{"a hook cannot run", func(s *shell) { os.Chmod(s.bin+"/hook-stop", 0o600) }, "programs", "bad",
			"hook-stop missing"},
		{"no pin", func(s *shell) { os.Remove(s.bin + "/afar.pin") }, "pin", "off", "none"},
		{"damaged pin", func(s *shell) { write(s.t, s.bin+"/afar.pin", "state here\n", 0o600) }, "pin", "bad",
			"damaged"},
		{"another home", func(s *shell) { s.env["AFAR_HOME"] = s.bin + "/elsewhere" }, "pin", "bad", "the hooks use"},
		{"open directory", func(s *shell) { os.Chmod(s.dirs().State, 0o755) }, "directories", "bad",
			"open to other users"},
		{"not typed", func(s *shell) { s.env["PATH"] = "" }, "command", "off", "not on PATH"},
		{"another afar", func(s *shell) {
			other := s.t.TempDir()
			write(s.t, other+"/afar", "#!/bin/sh\n", 0o700)
			s.env["PATH"] = other
		}, "command", "bad", "and not of"},
		{"hanging", func(s *shell) {
			lock, err := home.TryLock(s.dirs().LifeLock())
			if err != nil || lock == nil {
				s.t.Fatalf("lock: %v", err)
			}
			s.t.Cleanup(lock.Release)
		}, "coordinator", "bad", "not responding"},
		{"running", func(s *shell) { healthy(s) }, "coordinator", "ok", "pid 42"},
		{"asks the coordinator", func(s *shell) { healthy(s) }, "session web-3c4d", "bad", "without"},
		{"open socket", func(s *shell) { healthy(s); os.Chmod(s.dirs().Socket(), 0o777) }, "socket", "bad",
			"open to other users"},
		{"old coordinator", func(s *shell) {
			healthy(s).says(wire.OpStatus, wire.StatusReply{Coordinator: wire.Coordinator{Version: "v0"}})
		}, "coordinator", "bad", "runs version v0"},
		{"our alias", func(s *shell) { alias(s, "---\n# Written by Afar's install.sh\n") }, "/loop", "ok", "is Afar's"},
		{"their alias", func(s *shell) { alias(s, "mine") }, "/loop", "off", "your own"},
		{"no page", func(*shell) {}, "tools", "off", "the page is off"},
		{"page at the usual address", func(s *shell) { s.env[config.WebAddrVar] = "" }, "tools", "ok",
			"127.0.0.1:7357"},
		{"page elsewhere", func(s *shell) { pageAt(s, "127.0.0.1:7400", "") }, "tools", "bad",
			"looks for them at 127.0.0.1:7357, and web.addr in config.toml is at 127.0.0.1:7400"},
		{"page elsewhere, as the host knows", func(s *shell) { pageAt(s, "127.0.0.1:7400", "127.0.0.1:7400") },
			"tools", "ok", "127.0.0.1:7400"},
		{"host goes elsewhere", func(s *shell) { pageAt(s, "127.0.0.1:7357", "127.0.0.1:7400") }, "tools", "bad",
			"looks for them at 127.0.0.1:7400"},
		{"the coordinator's own page", func(s *shell) {
			s.env[config.WebAddrVar] = ""
			healthy(s).says(wire.OpTools, wire.ToolsReply{URL: "http://127.0.0.1:7411/mcp"})
		}, "tools", "bad", "looks for them at 127.0.0.1:7357, and the page is at 127.0.0.1:7411"},
		{"the page is not served", func(s *shell) {
			s.env[config.WebAddrVar] = ""
			healthy(s).says(wire.OpTools, wire.ToolsReply{Note: "address already in use"})
		}, "tools", "bad", "not served, so Claude Code has no tools of Afar's: address already in use"},
		{"plugin loaded", func(s *shell) { hostLists(s, `[{"id":"afar@afar","enabled":true}]`) }, "plugin", "ok",
			"loaded"},
		{"old host", func(s *shell) { hostSays(s, "2.1.197 (Claude Code)") }, "claude", "off",
			"2.1.197: a missing, crashed or overdue guard lets the call run"},
		{"old host's own refusals", func(s *shell) { hostSays(s, "2.1.197 (Claude Code)") }, "claude", "off",
			"refuses by itself what it would ask"},
		{"host before onFailure", func(s *shell) { hostSays(s, "2.1.294 (Claude Code)") }, "claude", "off",
			"lets the call run"},
		{"host with onFailure", func(s *shell) { hostSays(s, "2.1.295 (Claude Code)") }, "claude", "ok",
			"2.1.295: a missing, crashed or overdue guard stops the call"},
		{"newest host", func(s *shell) { hostSays(s, claude.Newest+" (Claude Code)") }, "claude", "ok",
			"guard stops the call"},
		{"host too old", func(s *shell) { hostSays(s, "2.1.196 (Claude Code)") }, "claude", "bad",
			"older than 2.1.197"},
		{"host not tested", func(s *shell) { hostSays(s, claude.Newest+"1 (Claude Code)") }, "claude", "off",
			"newer than " + claude.Newest},
		{"host not tested but proved", func(s *shell) {
			hostSays(s, claude.Newest+"1 (Claude Code)")
			write(s.t, s.dirs().Proved(), "x\n"+claude.Newest+"1 2026-11-28\n", 0o600)
		}, "claude", "ok", "proved with --live on 2026-11-28"},
		{"code mode", func(s *shell) { s.env["CLAUDE_CODE_EXPERIMENTAL_CODE_MODE"] = "1" }, "weakened", "off",
			"set in the environment"},
		{"code mode in the settings", func(s *shell) {
			path := s.env["HOME"] + "/.claude/settings.json"
			_ = os.MkdirAll(filepath.Dir(path), 0o700)
			write(s.t, path, `{"env":{"CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME":1}}`, 0o600)
		}, "weakened", "off", "CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME is set in "},
		{"host without a version", func(s *shell) { hostSays(s, "hello") }, "claude", "off",
			"does not say its version"},
		{"host is broken", func(s *shell) { write(s.t, s.bin+"/claude", "#!/bin/sh\nexit 3\n", 0o700) }, "plugin",
			"bad", "exit status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newShell(t)
			install(t, s)
			tt.spoil(s)
			code := s.run("doctor", "--json")
			var found wire.DoctorReply
			mustDecode(t, s.stdout.String(), &found)
			isBad := false
			var c wire.Check
			for _, f := range found.Checks {
				isBad = isBad || f.State == "bad"
				if f.ID == tt.check {
					c = f
				}
			}
			if c.State != tt.state || !strings.Contains(c.Text, tt.says) {
				t.Errorf("%s: %+v, want %s with %q", tt.check, c, tt.state, tt.says)
			}
			if (code == exitFailed) != isBad || code > exitFailed {
				t.Errorf("exit %d with %+v", code, found.Checks)
			}
		})
	}
}

func healthy(s *shell) *standIn {
	c := s.serve().
		says(wire.OpStatus, wire.StatusReply{Coordinator: wire.Coordinator{PID: 42, Version: versionText()}}).
		says(wire.OpDoctor, wire.DoctorReply{Checks: []wire.Check{{
			ID: "session web-3c4d", State: "bad", Text: "runs without Afar's hooks",
		}}})
	if err := os.Chmod(s.dirs().Socket(), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func alias(s *shell, text string) {
	dir := s.env["HOME"] + "/.claude/commands"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	write(s.t, dir+"/loop.md", text, 0o600)
}

// hostSays installs a client that only prints a text.
func hostSays(s *shell, says string) {
	write(s.t, s.bin+"/claude", "#!/bin/sh\n[ \"$*\" = --version ] && echo '"+says+"'\n", 0o700)
}

// TestDoctorNamesEachClient: doctor names each client once, including one in the host's
// own folder and one with two names.
func TestDoctorNamesEachClient(t *testing.T) {
	s := newShell(t)
	install(t, s)
	hostSays(s, claude.Newest+" (Claude Code)")
	local := filepath.Join(s.env["HOME"], ".local", "bin")
	twin := filepath.Join(t.TempDir(), "twin")
	for _, dir := range []string{local, twin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, local+"/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n", 0o700)
	if err := os.Symlink(s.bin+"/claude", twin+"/claude"); err != nil {
		t.Fatal(err)
	}
	s.env["PATH"] += string(filepath.ListSeparator) + twin
	s.run("doctor", "--json")
	var found wire.DoctorReply
	mustDecode(t, s.stdout.String(), &found)
	var said []string
	for _, f := range found.Checks {
		if f.ID == "claude" {
			said = append(said, f.State+" "+f.Text)
		}
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "ok "+s.bin+"/claude, "+claude.Newest) ||
		!strings.HasPrefix(said[1], "off "+local+"/claude, 2.1.197") {
		t.Errorf("the clients are %q", said)
	}
}

func hostLists(s *shell, says string) {
	write(s.t, s.bin+"/claude", "#!/bin/sh\n[ \"$*\" = 'plugin list --json' ] && echo '"+says+"'\n", 0o700)
}
