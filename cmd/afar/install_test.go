package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

func TestUninstall(t *testing.T) {
	s := newShell(t)
	if code := s.run("uninstall"); code != exitFailed ||
		!strings.Contains(s.stderr.String(), "claude plugin uninstall afar@afar") {
		t.Errorf("without install.sh: exit %d: %s", code, &s.stderr)
	}
	script := filepath.Join(filepath.Dir(s.bin), "install.sh")
	write(t, script, "echo \"ran $*\"\n", 0o600)
	if code := s.run("uninstall"); code != 0 || s.stdout.String() != "ran --uninstall\n" {
		t.Errorf("exit %d: %s%s", code, &s.stdout, &s.stderr)
	}
	write(t, script, "exit 5\n", 0o600)
	if code := s.run("uninstall"); code != exitFailed || !strings.Contains(s.stderr.String(), "exit status 5") {
		t.Errorf("exit %d: %s", code, &s.stderr)
	}
}

// TestPinWrite: a session may write the first pin, because it builds the programs, but may
// not change one.
func TestPinWrite(t *testing.T) {
	s := newShell(t)
	if err := os.MkdirAll(s.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	pinned := func() string {
		t.Helper()
		if code := s.run("pin", "write"); code != 0 {
			t.Fatalf("exit %d: %s", code, &s.stderr)
		}
		d, _, err := home.ForHook(s.bin, s.getenv)
		if err != nil {
			t.Fatal(err)
		}
		return d.Root
	}
	first := s.env["AFAR_HOME"]
	s.env["CLAUDECODE"] = "1"
	if got := pinned(); got != first {
		t.Errorf("first pin: %q, want %q", got, first)
	}
	s.env["AFAR_HOME"] = first + "2"
	if got := pinned(); got != first {
		t.Errorf("a session moved the pin to %q", got)
	}
	delete(s.env, "CLAUDECODE")
	if got := pinned(); got != first+"2" {
		t.Errorf("the person did not move the pin: %q", got)
	}
}

func TestConfig(t *testing.T) {
	s := newShell(t)
	home := s.env["HOME"]
	for _, tt := range []struct{ name, value, key, want, from string }{
		{"AFAR_HOME", s.env["AFAR_HOME"], "workspace", home + "/afar/workspace", "AFAR_HOME"},
		{"AFAR_HOME", "", "workspace", home + "/afar", "default"},
		{"XDG_STATE_HOME", "not/absolute", "state", home + "/.local/state/afar", "default"},
		{"XDG_STATE_HOME", home, "state", home + "/afar", "XDG_STATE_HOME"},
		{"XDG_RUNTIME_DIR", home + "/none", "socket", home + "/afar/run/afar.sock", "XDG_STATE_HOME"},
		{"XDG_RUNTIME_DIR", home, "socket", home + "/afar/afar.sock", "XDG_RUNTIME_DIR"},
	} {
		s.env[tt.name] = tt.value
		if code := s.run("config", "--json"); code != 0 {
			t.Fatalf("exit %d: %s", code, &s.stderr)
		}
		var got struct{ Settings []setting }
		mustDecode(t, s.stdout.String(), &got)
		if want := (setting{tt.key, tt.want, tt.from}); !slices.Contains(got.Settings, want) {
			t.Errorf("%s=%s: no %+v in %+v", tt.name, tt.value, want, got.Settings)
		}
	}
}
