// Package calls reads the test cases of the guard, so that tests can compare any judge of
// calls with all of them.
package calls

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/standin/repository"
)

// A Case is a call with the verdict that it gets in the tests of the guard.
type Case struct {
	Where string // file and line
	Want  string // deny, ask or pass
	Tool  string
	Input string // the host's JSON
	Files []File // that lie in the project when the call is made
}

// source is the repository. It is looked for at once, because a test may change its working
// directory.
var source, errSource = repository.Root()

// All returns every case of coordinator/guard/testdata/cases. A case is one line:
// deny, ask or pass, a blank, the command; ⏎ is a line break. In a .tools file
// the command is replaced by the tool's name and its arguments, as "Tool|name=value" or as
// "Tool {JSON}". A .files file also has files, see File.
func All() ([]Case, error) {
	if errSource != nil {
		return nil, errSource
	}
	files, err := filepath.Glob(filepath.Join(source, "coordinator/guard/testdata/cases/*"))
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, file := range files {
		cases, err := read(file)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	if len(all) < 1000 {
		return nil, fmt.Errorf("only %d cases", len(all))
	}
	return all, nil
}

func read(file string) ([]Case, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Case
	var files []File
	for i, line := range strings.Split(string(raw), "\n") {
		want, text, _ := strings.Cut(line, " ")
		c := Case{Where: fmt.Sprintf("%s:%d", filepath.Base(file), i+1), Want: want, Files: files}
		switch want {
		case "":
			files = nil
			continue
		case "#":
			continue
		case "file", "kept":
			files = append(slices.Clip(files), newFile(text, want == "kept"))
			continue
		case "deny", "ask", "pass":
		default:
			return nil, fmt.Errorf("%s: unknown verdict %q; want deny, ask or pass", c.Where, want)
		}
		text = strings.ReplaceAll(text, "⏎", "\n")
		if filepath.Ext(file) == ".tools" {
			c.Tool, c.Input = toolCall(text)
		} else {
			c.Tool, c.Input = "Bash", jsonOf(map[string]any{"command": text})
		}
		all = append(all, c)
	}
	return all, nil
}

func toolCall(text string) (tool, input string) {
	if name, object, ok := strings.Cut(text, " {"); ok && !strings.Contains(name, "|") {
		return name, "{" + object
	}
	parts := strings.Split(text, "|")
	fields := map[string]any{}
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(p, "=")
		put(fields, strings.Split(name, "."), value)
	}
	return parts[0], jsonOf(lists(fields))
}

// put sets the value at a path. The text "true" becomes a bool, as in an Arg.
func put(fields map[string]any, path []string, value string) {
	for _, name := range path[:len(path)-1] {
		inner, ok := fields[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			fields[name] = inner
		}
		fields = inner
	}
	last := path[len(path)-1]
	if value == "true" {
		fields[last] = true
		return
	}
	fields[last] = value
}

// lists turns each object whose names count from 0 into a list.
func lists(v any) any {
	fields, ok := v.(map[string]any)
	if !ok {
		return v
	}
	items := make([]any, 0, len(fields))
	for i := range len(fields) {
		if item, ok := fields[strconv.Itoa(i)]; ok {
			items = append(items, lists(item))
		}
	}
	if len(items) > 0 && len(items) == len(fields) {
		return items
	}
	for name, item := range fields {
		fields[name] = lists(item)
	}
	return fields
}

func jsonOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of maps, lists and strings
	}
	return string(raw)
}
