//go:build unix

package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// served runs a real coordinator in the home of s and ends it.
func served(s *shell) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	one := newShell(s.t)
	one.env, one.bin = s.env, s.bin
	code := make(chan int, 1)
	go func() { code <- one.runIn(ctx, "serve") }()
	asking := newShell(s.t)
	asking.env, asking.bin = s.env, s.bin
	for limit := time.Now().Add(patience); asking.run("call", "status") != 0; time.Sleep(retryEvery) {
		if time.Now().After(limit) {
			s.t.Fatalf("nobody serves: %s", &asking.stderr)
		}
	}
	cancel()
	if got := <-code; got != 0 {
		s.t.Fatalf("serve: exit %d: %s", got, &one.stderr)
	}
}

// failed runs a coordinator that cannot serve.
func failed(s *shell) {
	s.t.Helper()
	one := newShell(s.t)
	one.env, one.bin = s.env, s.bin
	if one.run("serve") != exitFailed {
		s.t.Fatalf("it serves: %s", &one.stderr)
	}
}

func damage(s *shell, at int64, text string) {
	s.t.Helper()
	f, err := os.OpenFile(s.dirs().Database(), os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt([]byte(text), at)
		f.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestDoctorWithoutCoordinator: while no coordinator runs, doctor finds everything that
// keeps it from its work, says what is wrong, and names a fix.
func TestDoctorWithoutCoordinator(t *testing.T) {
	for name, c := range map[string]struct {
		spoil             func(*shell)
		check, says, mend string // no check: all is well
	}{
		"well": {func(s *shell) { served(s) }, "", "", ""},
		"unknown key": {func(s *shell) {
			served(s)
			write(s.t, s.dirs().ConfigFile(), "[checkin]\nhodl = '5s'\n", 0o600)
		}, "config", `line 2: unknown key "checkin.hodl"; did you mean "checkin.hold"?`, "docs/config.md"},
		"damaged header": {func(s *shell) { served(s); damage(s, 0, "no database at all") }, "database", "damaged",
			"--repair"},
		"newer database": {func(s *shell) { served(s); damage(s, 60, "\x00\x00\x7f\x00") }, "database", "newer Afar",
			"newest"},
		"truncated": {func(s *shell) {
			served(s)
			if err := os.Truncate(s.dirs().Database(), 9000); err != nil {
				s.t.Fatal(err)
			}
		}, "database", "damaged", "--repair"},
		"no directory": {func(s *shell) {
			served(s)
			if err := os.RemoveAll(s.dirs().State); err != nil {
				s.t.Fatal(err)
			}
			write(s.t, s.dirs().State, "in the way", 0o600)
		}, "disk", "not a directory", "writable"},
		"failed start": {func(s *shell) {
			served(s)
			write(s.t, s.dirs().ConfigFile(), "nonsense = 1\n", 0o600)
			failed(s)
			write(s.t, s.dirs().ConfigFile(), "", 0o600)
		}, "log", "cannot start", "afar start"},
		"crash": {func(s *shell) {
			served(s)
			later := time.Now().Add(time.Second)
			path := s.dirs().CrashLog()
			write(s.t, path, "panic: index out of range\n\ngoroutine 1 [running]:\n", 0o600)
			if err := os.Chtimes(path, later, later); err != nil {
				s.t.Fatal(err)
			}
		}, "log", "index out of range", "crash.log"},
		"last words": {func(s *shell) {
			served(s)
			write(s.t, s.dirs().Log(),
				`{"level":"INFO","msg":"serving"}`+"\n"+`{"level":"ERROR","msg":"accept","err":"boom"}`+"\n", 0o600)
		}, "log", "accept: boom", "afar start"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			install(t, s)
			c.spoil(s)
			code := s.run("doctor", "--json")
			var found wire.DoctorReply
			mustDecode(t, s.stdout.String(), &found)
			red := ""
			for _, f := range found.Checks {
				if f.State == "bad" && f.Fix == "" {
					t.Errorf("no fix: %+v", f)
				}
				if f.State == "bad" && f.ID == c.check && strings.Contains(f.Text, c.says) &&
					strings.Contains(f.Fix, c.mend) {
					red = f.ID
				}
			}
			if red != c.check || (code == exitFailed) != (c.check != "") {
				t.Errorf("exit %d, want %q red with %q: %+v", code, c.check, c.says, found.Checks)
			}
			if home.Marked(s.dirs().Socket()) {
				t.Error("doctor started a coordinator")
			}
		})
	}
}
