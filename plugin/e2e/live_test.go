//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/probe"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestRealLive runs the trials of `afar doctor --live` on every client. TestRealDoctorLive does so on the newest.
func TestRealLive(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range allClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := tryOn(t, version, root)
			for what, f := range map[string]probe.Finding{"guard": found.Guard, "ask": found.Ask, "stop": found.Stop,
				"skill": found.Skill} {
				if !f.Proved {
					t.Errorf("%s: not proved: %s", what, f.Text)
				}
			}
			if found.FailsClosed.Proved != claude.Stops(version) {
				t.Errorf("the missing guard: %+v", found.FailsClosed)
			}
		})
	}
}

func tryOn(t *testing.T, version, plugin string) probe.Findings {
	t.Helper()
	trial := probe.Trial{Client: host.Need(t, version), Plugin: plugin, Path: os.Getenv("PATH")}
	found, err := trial.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRealLiveBroken breaks one part after the other. The trial finds exactly the broken
// part.
func TestRealLiveBroken(t *testing.T) {
	t.Parallel()
	const noop = "#!/bin/sh\ncat >/dev/null\n"
	for name, c := range map[string]struct {
		spoil            func(t *testing.T, dir string)
		guard, ask, stop bool
	}{
		"guard missing": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "bin", "hook-pre-tool-use")); err != nil {
				t.Fatal(err)
			}
		}, false, false, true},
		"guard does nothing": {func(t *testing.T, dir string) { replace(t, dir, "hook-pre-tool-use", noop) },
			false, false, true},
		"stop does nothing": {func(t *testing.T, dir string) { replace(t, dir, "hook-stop", noop) }, true,
			true, false},
	} {
		for client, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
			if client == "oldest" && name != "guard missing" {
				continue
			}
			t.Run(name+"/"+client, func(t *testing.T) {
				if client == "oldest" || name != "guard missing" {
					long.Only(t)
				}
				t.Parallel()
				dir := faulty(t)
				c.spoil(t, dir)
				found := tryOn(t, version, dir)
				if found.Guard.Proved != c.guard || found.Ask.Proved != c.ask || found.Stop.Proved != c.stop {
					t.Errorf("the trial finds %+v", found)
				}
			})
		}
	}
}

// TestRealDoctorLive runs `afar doctor --live` on a machine with Afar while a session runs.
// The command changes none of the person's files and leaves none behind.
func TestRealDoctorLive(t *testing.T) {
	c, lab, _ := installed(t, host.Current)
	c.env = append(c.env, "TMPDIR="+t.TempDir())
	temp := c.env[len(c.env)-1][len("TMPDIR="):]
	term := lab.Terminal("--permission-mode", "bypassPermissions")
	term.Submit(play(model.Say("here I am")))
	term.Await("here I am", within)

	before := snapshot(t, c.home, written)
	found, code := c.doctorLive()
	t.Logf("afar doctor --live finds:\n%s", strings.Join(found, "\n"))
	has(t, found, "ok live "+host.Current+": proved: the guard denies",
		"ok live "+host.Current+": proved: a question reaches",
		"ok live "+host.Current+": proved: the Stop hook holds",
		"ok live "+host.Current+": proved: the guard denies a forced push in the text of a skill",
		"ok live "+host.Current+": proved: a call whose guard cannot be started does not run",
		"off not proved: that a card reaches your phone")
	if !slices.ContainsFunc(found, func(f string) bool {
		return strings.HasPrefix(f, "ok session project-") && strings.Contains(f, "its hooks ran")
	}) || code != 0 {
		t.Errorf("exit %d; no evidence of the session that runs", code)
	}
	for _, name := range changes(before, snapshot(t, c.home, written)) {
		t.Errorf("doctor --live changed %s", name)
	}
	if left := names(t, temp); len(left) > 0 {
		t.Errorf("doctor --live left %v", left)
	}

	write(t, lab.Project, ".claude/settings.local.json", `{"disableAllHooks":true}`)
	write(t, filepath.Join(c.home, ".claude", "dev-mods", c.sessionID()), "mine/register.ts", "")
	replace(t, c.clone, "hook-pre-tool-use", "#!/bin/sh\ncat >/dev/null\n")
	found, code = c.doctorLive()
	t.Logf("broken, it finds:\n%s", strings.Join(found, "\n"))
	has(t, found, "bad live "+host.Current+": not proved: a call that the guard must deny ran")
	text := strings.Join(found, "\n")
	wants(t, text, "settings.local.json switches all hooks off", "mods written in this session: mine")
	if code != 1 {
		t.Errorf("exit %d with a guard that does nothing", code)
	}
}

// written matches the files that the host and the coordinator write while a session runs.
var written = regexp.MustCompile(hostsOwn.String() + "|" + ownData.String())

// doctorLive returns the lines of the checks and the exit code.
func (m *machine) doctorLive() (found []string, code int) {
	m.t.Helper()
	out, code := m.run(m.link(), "doctor", "--live", "--json")
	var all wire.DoctorReply
	if at := strings.Index(out, "{"); at < 0 || json.NewDecoder(strings.NewReader(out[at:])).Decode(&all) != nil {
		m.t.Fatalf("afar doctor --live --json prints\n%s", out)
	}
	for _, f := range all.Checks {
		found = append(found, f.State+" "+f.ID+": "+f.Text)
	}
	return found, code
}

// sessionID returns the id of the only running session.
func (m *machine) sessionID() string {
	m.t.Helper()
	sessions := m.status().Sessions
	if len(sessions) != 1 {
		m.t.Fatalf("these sessions run: %+v", sessions)
	}
	return sessions[0].ID
}

// has checks that a line begins with each text.
func has(t *testing.T, found []string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, text) }) {
			t.Errorf("no check says %q", text)
		}
	}
}
