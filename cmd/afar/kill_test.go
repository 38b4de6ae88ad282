//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/stray"
)

// A mortal is a home whose coordinator, the real one, is killed again and again. Its clock may show
// another time in each life.
type mortal struct {
	t     *testing.T
	dir   string
	clock string    // the program that sets it
	lives *exec.Cmd // the coordinator that serves, nil for none
	ahead time.Duration
	kills int
}

// newMortal returns a home with a configuration. No coordinator serves yet.
func newMortal(t *testing.T, config string) *mortal {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{t: t, dir: dir, clock: filepath.Join(dir, clockName)}
	for _, made := range []string{"home", "afar"} {
		if err := os.MkdirAll(filepath.Join(dir, made), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "afar", "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, m.clock); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.kill()
		stray.End(filepath.Join(dir, "afar"))
	})
	return m
}

// getenv returns a variable of all programs of the home. None of them finds a program of Afar, so
// that only serve starts a coordinator.
func (m *mortal) getenv(name string) string {
	return map[string]string{
		"HOME":          filepath.Join(m.dir, "home"),
		"AFAR_HOME":     filepath.Join(m.dir, "afar"),
		"BIN":           filepath.Join(m.dir, "bin"),
		"PATH":          "/usr/bin:/bin",
		"TZ":            "UTC",
		"AFAR_WEB_ADDR": "off",
	}[name]
}

// time returns what the clock of this life shows.
func (m *mortal) time() time.Time { return time.Now().Add(m.ahead) }

// serve begins another life. It does not wait until the coordinator answers.
func (m *mortal) serve(ahead time.Duration) {
	m.t.Helper()
	m.ahead = ahead
	offset := ahead.String()
	if ahead >= 0 {
		offset = "+" + offset
	}
	m.lives = exec.Command(m.clock, offset, "serve")
	for _, name := range []string{"HOME", "AFAR_HOME", "BIN", "PATH", "TZ", "AFAR_WEB_ADDR"} {
		m.lives.Env = append(m.lives.Env, name+"="+m.getenv(name))
	}
	m.lives.Stderr = m.t.Output()
	if err := m.lives.Start(); err != nil {
		m.t.Fatal(err)
	}
}

// kill ends the life as kill -9 does.
func (m *mortal) kill() {
	m.t.Helper()
	if m.lives == nil {
		return
	}
	if err := m.lives.Process.Kill(); err != nil {
		m.t.Errorf("the coordinator has ended by itself: %v", err)
	}
	_ = m.lives.Wait() // it was killed
	if m.lives.ProcessState.Exited() {
		m.t.Errorf("the coordinator has ended by itself: %v", m.lives.ProcessState)
	}
	m.lives = nil
	m.kills++
}

// awaken waits until the coordinator answers.
func (m *mortal) awaken() {
	m.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(retryEvery) {
		out, err := m.try("call", "status")
		if err == nil {
			return
		}
		if time.Now().After(late) {
			m.t.Fatalf("the coordinator does not answer: %v %s", err, out)
		}
	}
}

// try runs a command, and returns what it printed.
func (m *mortal) try(args ...string) (string, error) {
	var said, failed bytes.Buffer
	code := run(m.t.Context(), args, &app{
		stdin: new(bytes.Buffer), stdout: &said, stderr: &failed, getenv: m.getenv, bin: m.getenv("BIN"), now: m.time,
	})
	if code != exitDone {
		return said.String(), fmt.Errorf("afar %s: exit %d: %s", strings.Join(args, " "), code, &failed)
	}
	return said.String(), nil
}

// afar runs a command that must succeed, and returns what it printed.
func (m *mortal) afar(args ...string) string {
	m.t.Helper()
	said, err := m.try(args...)
	if err != nil {
		m.t.Fatal(err)
	}
	return said
}

// read runs a command that prints JSON.
func (m *mortal) read(out any, args ...string) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(m.afar(append(args, "--json")...)), out); err != nil {
		m.t.Fatalf("afar %s: %v", strings.Join(args, " "), err)
	}
}
