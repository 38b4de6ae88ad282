// Package tracker stands in for the command lines of issue trackers that are not
// available in tests. Each stand-in is as strict as the real tool, and keeps its state in
// the directory that the tool would use.
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

// Install makes the running program available as a tool in a directory. The program
// must call Main before anything else.
func Install(dir, name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return os.Symlink(self, filepath.Join(dir, name))
}

// Main runs the tool under whose name the program was started, and then exits. It
// returns at once if the name is not that of a tool.
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

// load reads the state that an earlier run of a stand-in left.
func load(path string, state any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, state)
}

// save writes the state for the next run.
func save(path string, state any) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

// printJSON prints v to stdout.
func printJSON(v any) error { return json.NewEncoder(os.Stdout).Encode(v) }

// later returns a time that no earlier run had, so that the age of issues does not
// depend on the speed of the machine.
func later(n int) time.Time { return time.UnixMilli(1_790_000_000_000 + int64(n)*1000).UTC() }
