package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

func TestDoctorLiveInSession(t *testing.T) {
	s := newShell(t)
	install(t, s)
	s.env["CLAUDECODE"] = "1"
	if code := s.run("doctor", "--live"); code != exitFailed ||
		!strings.Contains(s.stderr.String(), "not inside a session") {
		t.Errorf("exit %d, stderr %q", code, s.stderr.String())
	}
}

// TestDoctorLiveEvidence: doctor --live shows the evidence for a session in the host's
// files. No client is installed.
func TestDoctorLiveEvidence(t *testing.T) {
	heard := wire.Session{ID: "0a1b2c3d", Token: "web-3c4d", Project: "/p", State: "working", Protected: true}
	unheard := heard
	unheard.Protected = false
	status := func(sessions ...wire.Session) func(*shell, string) {
		return func(s *shell, _ string) {
			c := wire.Coordinator{PID: 42, Version: versionText()}
			healthy(s).says(wire.OpStatus, wire.StatusReply{Coordinator: c, Sessions: sessions})
		}
	}
	for name, c := range map[string]struct {
		spoil    func(s *shell, project string)
		id, want string
	}{
		"hooks heard": {status(heard), "session web-3c4d", "ok its hooks ran, it is working"},
		"version": {status(heard), "session web-3c4d",
			"ok Claude Code 2.1.294, which lets a call run whose guard fails"},
		"hooks unheard":  {status(unheard), "session 0a1b2c3d", "bad none of Afar's hooks ran in it"},
		"unknown":        {status(), "session 0a1b2c3d", "bad none of Afar's hooks ran in it"},
		"no coordinator": {func(*shell, string) {}, "session 0a1b2c3d", "off whether its hooks ran is unknown"},
		"hooks off": {func(s *shell, project string) {
			status(heard)(s, project)
			write(s.t, project+"/.claude/settings.json", `{"disableAllHooks":true}`, 0o600)
		}, "session web-3c4d", "bad settings.json switches all hooks off"},
		"plugin off": {func(s *shell, project string) {
			status(heard)(s, project)
			write(s.t, project+"/.claude/settings.local.json", `{"enabledPlugins":{"afar@afar":false}}`, 0o600)
		}, "session web-3c4d", "bad settings.local.json switches afar@afar off"},
		"damaged settings": {func(s *shell, project string) {
			status(heard)(s, project)
			write(s.t, project+"/.claude/settings.json", `{"disableAllHooks":tr`, 0o600)
		}, "session web-3c4d", "ok no settings file switches hooks off"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			install(t, s)
			project := t.TempDir()
			sessions := filepath.Join(s.env["HOME"], ".claude", "sessions")
			for _, dir := range []string{sessions, project + "/.claude"} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			const file = `{"pid":%d,"sessionId":"0a1b2c3d","cwd":%q,"version":"2.1.294"}`
			write(t, sessions+"/1.json", fmt.Sprintf(file, os.Getpid(), project), 0o600)
			write(t, sessions+"/2.json", fmt.Sprintf(file, 1<<30, project), 0o600) // it has ended
			write(t, sessions+"/3.json", `{"pid":`, 0o600)
			c.spoil(s, project)
			s.run("doctor", "--live", "--json")
			var found wire.DoctorReply
			mustDecode(t, s.stdout.String(), &found)
			var said []string
			for _, f := range found.Checks {
				if strings.HasPrefix(f.ID, "session ") && !strings.Contains(f.Text, "runs without") {
					said = append(said, f.ID+" "+f.State+" "+f.Text)
				}
			}
			state, text, _ := strings.Cut(c.want, " ")
			if len(said) != 1 || !strings.HasPrefix(said[0], c.id+" "+state+" ") || !strings.Contains(said[0], text) {
				t.Errorf("it says %q, want %s %s", said, c.id, c.want)
			}
		})
	}
}
