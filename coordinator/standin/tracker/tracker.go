// Package tracker stands in for the command lines of issue trackers that are not to
// be had in a test. Each is as strict as the tool whose contract it was written
// from, and keeps its state in the directory that the tool would use.
package tracker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// tools are the stand-ins. Each takes the arguments of one run, works in the current
// directory, and prints as the tool does.
var tools = map[string]func(args []string) error{"tissue": fakeTissue, "bd": fakeBeads, "gh": fakeGitHub}

// A refusal is an error in the words of a tool.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Install has the running program stand for a tool in a directory. It must call Main
// first of all.
func Install(dir, name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return os.Symlink(self, filepath.Join(dir, name))
}

// Main is one run of the tool as which the program was started, and does not return
// then.
func Main() {
	tool, ok := tools[filepath.Base(os.Args[0])]
	if !ok {
		return
	}
	if err := tool(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// kept is the state of a stand-in between two runs.
func kept(path string, state any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, state)
}

func keep(path string, state any) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

func printed(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// later is a moment that no earlier run had, so that age is never a matter of
// how fast a machine is.
func later(n int) time.Time { return time.UnixMilli(1_790_000_000_000 + int64(n)*1000).UTC() }
