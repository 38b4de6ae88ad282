package coordinator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestDesktop: a notification needs the program of the system and, on Linux, this user's bus.
func TestDesktop(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	for _, name := range []string{"notify-send", "osascript"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"HOME": dir, "PATH": dir, "AFAR_HOME": dir}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(system, want string) {
		t.Helper()
		d := desktopOf(system, dirs)
		if got := strings.Join(append([]string{filepath.Base(d.program)}, d.args...), " "); got != want {
			t.Errorf("%s: %q, want %q", system, got, want)
		}
	}
	check("linux", ".")
	check("windows", ".")
	if err := os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check("linux", "notify-send --app-name=Afar --")
	check("darwin", "osascript -e on run argv -e "+
		"display notification (item 2 of argv) with title (item 1 of argv) -e end run")
}
