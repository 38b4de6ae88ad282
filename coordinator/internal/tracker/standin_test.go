package tracker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	standin "github.com/afar-sh/afar/coordinator/standin/tracker"
)

func TestMain(m *testing.M) {
	if top := os.Getenv(writerVar); top != "" {
		write(top)
		os.Exit(1)
	}
	standin.Main()
	if !strings.Contains(filepath.Base(os.Args[0]), ".test") {
		os.Exit(64) // a tool without a stand-in must not run all tests again
	}
	os.Exit(m.Run())
}

// unraced skips a test in runs with -short, which are those with the race detector. The
// test has one goroutine and runs programs, so the detector would find nothing.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, and programs: nothing for the race detector")
	}
}

// standIn makes a directory with a stand-in the whole PATH.
func standIn(t *testing.T, name string) {
	t.Helper()
	unraced(t)
	bin := t.TempDir()
	if err := standin.Install(bin, name); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // with the race detector, each run of a stand-in would take a second more
}

// script puts a shell script into PATH as a tool.
func script(t *testing.T, name, text string) {
	t.Helper()
	unraced(t)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
}

// TestTools checks the errors for a tool that is missing or misbehaves.
func TestTools(t *testing.T) {
	unraced(t)
	for _, c := range []struct{ name, script, want string }{
		{"absent", "", "is not in PATH; install"},
		{"fails without a word", "exit 3", "exit status 3"},
		{
			"fails with a reason",
			"echo 'Database busy.  Please retry.' >&2; echo Usage: >&2; exit 1",
			": Database busy. Please retry.",
		},
		{"fails with a terminal's commands", `printf '\033[31mred\033[0m\0\377' >&2; exit 1`, "red"},
		{"prints nothing", "exit 0", "it printed other JSON than its contract has (unexpected end of JSON input)"},
		{"prints no JSON", "echo No issues found", "it printed other JSON than its contract has"},
		{"prints another shape", `echo '{"issues":"none"}'`, "it printed other JSON than its contract has"},
		{
			"prints wrong types",
			`echo '[{"id":1,"title":{},"number":"x"}]'`,
			"it printed other JSON than its contract has",
		},
		{"prints half", `printf '[{"id":"a-1","ti'`, "it printed other JSON than its contract has"},
		{"prints without end", "yes x", "it printed more than 32 MiB"},
		{"does not end", "sleep 60", "no answer within 200ms"},
	} {
		for name, open := range map[string]func(string) tool{
			"tissue": func(top string) tool { return newTissue(top).(tissue).tool },
			"bd":     func(top string) tool { return newBeads(top).(beads).tool },
			"gh":     func(top string) tool { return newGitHub(top).(github).tool },
		} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if t.Setenv("PATH", t.TempDir()); c.script != "" {
					script(t, name, c.script)
				}
				tool := open(t.TempDir())
				if c.script == "sleep 60" {
					tool.timeout = 200 * time.Millisecond
				}
				begun := time.Now()
				err := firstError(t, tool)
				if !errors.Is(err, ErrTool) || !strings.Contains(err.Error(), c.want) ||
					!strings.Contains(err.Error(), name) {
					t.Errorf("have %v, want %q", err, c.want)
				}
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

// TestToolOfTheProject checks that a program of the project is not run, even if its
// directory is in PATH, and that no tool gets the bot's token.
func TestToolOfTheProject(t *testing.T) {
	script(t, "tissue", `echo "[{\"id\":\"x-1\",\"title\":\"$AFAR_TELEGRAM_TOKEN$KEPT\",\"status\":\"closed\"}]"`)
	t.Setenv("AFAR_TELEGRAM_TOKEN", "secret")
	t.Setenv("KEPT", "kept")
	bin, _, _ := strings.Cut(os.Getenv("PATH"), ":")
	for _, top := range []string{bin, filepath.Dir(bin)} {
		if _, err := newTissue(top).List(t.Context()); !failedWith(err, "is not in PATH") {
			t.Errorf("from %s: %v", top, err)
		}
	}
	all, err := newTissue(t.TempDir()).(tissue).all(t.Context())
	if err != nil || len(all) != 1 || all[0].Title != "kept" {
		t.Errorf("%+v, %v", all, err)
	}
}

// firstError returns the error of List with a tool whose time limit may be short.
func firstError(t *testing.T, of tool) error {
	t.Helper()
	var tracker Tracker
	switch of.program {
	case "tissue":
		tracker = tissue{of}
	case "bd":
		tracker = beads{of}
	case "gh":
		tracker = github{of}
	}
	_, err := tracker.List(t.Context())
	_, err2 := tracker.Ready(t.Context())
	if (err == nil) != (err2 == nil) {
		t.Errorf("list: %v, but ready: %v", err, err2)
	}
	return err
}
