package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/standin/calls"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// newJudgingApp returns an app whose guard judges as in a session of an empty project.
func newJudgingApp(t *testing.T) (a *app, at spot) {
	t.Helper()
	root := t.TempDir()
	project := filepath.Join(root, "proj")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	env := map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar")}
	a = &app{bin: filepath.Join(root, "bin"), getenv: func(name string) string { return env[name] },
		stderr: &bytes.Buffer{}}
	at, err := a.here()
	if err != nil {
		t.Fatal(err)
	}
	return a, at
}

func judged(t *testing.T, a *app, at spot, c calls.Case) guard.Verdict {
	t.Helper()
	call, err := guard.ReadCall(c.Tool, c.Input)
	if err != nil {
		t.Fatalf("%s: %v", c.Where, err)
	}
	return guard.Judge(call, callsite.Context(at.dirs, a.bin, at.cwd, at.project)).Verdict
}

// someCases returns all cases, in the ordinary CI without three of four commands for Bash.
func someCases(t *testing.T) []calls.Case {
	t.Helper()
	cases, err := calls.All()
	if err != nil {
		t.Fatal(err)
	}
	var some []calls.Case
	for i, c := range cases {
		if i%4 == 0 || long.Runs() || !isCommand(t, c) {
			some = append(some, c)
		}
	}
	return some
}

// isCommand reports whether a case is a command for Bash and nothing else.
func isCommand(t *testing.T, c calls.Case) bool {
	t.Helper()
	members := 0
	for range parsed(t, c.Input).Members() {
		members++
	}
	return c.Tool == "Bash" && members == 1
}

// TestEveryCaseExplained: `afar guard explain` and the hook have the same verdict on each case of someCases.
func TestEveryCaseExplained(t *testing.T) {
	long.InCI(t)
	a, at := newJudgingApp(t)
	for _, c := range someCases(t) {
		var out bytes.Buffer
		a.stdout = &out
		args := []string{"guard", "explain", "--json", "--tool", c.Tool, c.Input}
		if isCommand(t, c) {
			args = []string{"guard", "explain", "--json", "--", parsed(t, c.Input).Get("command").Str()}
		}
		placed(t, at, c, func() {
			if code := run(t.Context(), args, a); code != 0 {
				t.Fatalf("%s: exit %d: %s", c.Where, code, a.stderr)
			}
			if have, want := parsed(t, out.String()).Get("verdict").Str(), word(judged(t, a, at, c)); have != want {
				t.Errorf("%s: %s %s: %s, want %s", c.Where, c.Tool, c.Input, have, want)
			}
		})
	}
}

// TestEveryCaseInAFile: `afar guard test` and the hook have the same verdict on each case of someCases.
func TestEveryCaseInAFile(t *testing.T) {
	long.InCI(t)
	a, at := newJudgingApp(t)
	var file strings.Builder
	all := someCases(t)
	for _, c := range all {
		placed(t, at, c, func() {
			fmt.Fprintf(&file, "[[case]]\nwant = %q\n", caseWord(judged(t, a, at, c)))
		})
		if isCommand(t, c) {
			fmt.Fprintf(&file, "command = %s\n", parsed(t, c.Input).Get("command").Raw())
		} else {
			fmt.Fprintf(&file, "tool = %q\ninput = %s\n", c.Tool, inTOML(parsed(t, c.Input)))
		}
	}
	cases, err := policy.Cases([]byte(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		placed(t, at, all[i], func() {
			if d := guard.Judge(c.Call, a.caseContext(at, c, false)); !asWanted(c, d) {
				t.Errorf("%s: %s, want %s", c, caseWord(d.Verdict), wanted(c))
			}
		})
	}
}

// placed runs judge while the files of a case lie in the project.
func placed(t *testing.T, at spot, c calls.Case, judge func()) {
	t.Helper()
	if err := c.At(at.project, judge); err != nil {
		t.Fatal(err)
	}
}

func parsed(t *testing.T, text string) hostjson.Value {
	t.Helper()
	v, err := hostjson.Parse(text, hostjson.MaxDepth)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// inTOML returns a JSON value as an inline value of TOML.
func inTOML(v hostjson.Value) string {
	var parts []string
	for name, member := range v.Members() {
		parts = append(parts, strconv.Quote(name)+" = "+inTOML(member))
	}
	for _, item := range v.Items() {
		parts = append(parts, inTOML(item))
	}
	switch {
	case v.IsObject():
		return "{" + strings.Join(parts, ", ") + "}"
	case v.IsArray():
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.Raw()
}
