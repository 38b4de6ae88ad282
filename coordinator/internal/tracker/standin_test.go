package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	if filepath.Base(os.Args[0]) == speakerName {
		speak()
	}
	if !strings.Contains(filepath.Base(os.Args[0]), ".test") {
		os.Exit(64) // a tool without a stand-in must not run all tests again
	}
	os.Exit(m.Run())
}

// speakerName is the name of a program that speaks the protocol: it answers with the adapter of tissue.
const speakerName = "speaker"

// speak answers one request, as the program of a person would.
func speak() {
	var q request
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil || q.V != 1 || len(os.Args) != 1 {
		fmt.Fprintf(os.Stderr, "%v, %+v, %q", err, q, os.Args)
		os.Exit(2)
	}
	top, _ := os.Getwd()
	issues, err := tissue{tissueTool.at(top)}.answers()[q.Op](context.Background(), q)
	said := reply{Issues: append([]Issue{}, issues...)}
	for code, is := range map[string]error{"not_found": ErrNotFound, "ambiguous": errAmbiguous, "": err} {
		if err != nil && errors.Is(err, is) {
			said.Code, said.Error = cmp.Or(said.Code, code), err.Error()
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(said)
	os.Exit(0)
}

// openSpeaker opens the tracker of a program that speaks the protocol, at a place with a store of tissue.
func openSpeaker(t *testing.T) Tracker {
	t.Helper()
	program := filepath.Join(t.TempDir(), speakerName)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	top := t.TempDir()
	if err == nil {
		err = os.Mkdir(filepath.Join(top, ".tissue"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(top, program)
	if err != nil || opened.Name() != program || InTree(opened) {
		t.Fatalf("opened %v, %v", opened, err)
	}
	return opened
}

// TestProgramConforms has a program of the person keep the issues. It answers with the adapter of tissue, so this
// is the suite of that adapter, too.
func TestProgramConforms(t *testing.T) {
	standIn(t, "tissue")
	conform(t, openSpeaker)
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
	const endless, hangs = "yes x", "sleep 60" // it takes long, and all tools are read and ended in one way
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
		{"prints what it reads", "cat", "it printed other JSON than its contract has"},
		{"prints half", `printf '[{"id":"a-1","ti'`, "it printed other JSON than its contract has"},
		{"prints without end", endless, "it printed more than 32 MiB"},
		{"does not end", hangs, "no answer within 200ms"},
	} {
		for i, of := range []tool{tissueTool, beadsTool, githubTool, programTool("speaker")} {
			if i > 0 && (c.script == endless || c.script == hangs) {
				continue
			}
			name := of.program
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if t.Setenv("PATH", t.TempDir()); c.script != "" {
					script(t, name, c.script)
				}
				if c.script == hangs {
					of.timeout = 200 * time.Millisecond
				}
				begun := time.Now()
				err := firstError(t, of.at(t.TempDir()))
				if !errors.Is(err, errTool) || !strings.Contains(err.Error(), c.want) ||
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
		if _, err := tissueAt(top).List(t.Context()); !failedWith(err, "is not in PATH") {
			t.Errorf("from %s: %v", top, err)
		}
		_, err := Open(top, filepath.Join(bin, "tissue"))
		if err == nil || !strings.Contains(err.Error(), "is a program of the project itself") {
			t.Errorf("opened at %s: %v", top, err)
		}
	}
	all, err := tissueAt(t.TempDir()).all(t.Context())
	if err != nil || len(all) != 1 || all[0].Title != "kept" {
		t.Errorf("%+v, %v", all, err)
	}
}

// firstError returns the error of List with a tool whose time limit may be short.
func firstError(t *testing.T, of tool) error {
	t.Helper()
	var does interface{ answers() answers }
	switch does = of; of.program {
	case "tissue":
		does = tissue{of}
	case "bd":
		does = beads{of}
	case "gh":
		does = github{of}
	}
	tracker := outside{of.program, does.answers()}
	_, err := tracker.List(t.Context())
	_, err2 := tracker.Ready(t.Context())
	if (err == nil) != (err2 == nil) {
		t.Errorf("list: %v, but ready: %v", err, err2)
	}
	return err
}

func tissueAt(top string) outside { return outside{"tissue", tissue{tissueTool.at(top)}.answers()} }
