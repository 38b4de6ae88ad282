package hooks_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/judge"
)

// TestPanicInTheGuardCloses: if the guard panics, the call does not run, and the hook says
// why.
func TestPanicInTheGuardCloses(t *testing.T) {
	panics := func(c hooks.Call) (hooks.Judgement, error) {
		call, err := guard.NewCall(c.Tool, c.Input)
		resolve := func(string) string { panic("lost my head") }
		guard.Judge(call, guard.Context{Cwd: "/p", Project: "/p", Resolve: resolve})
		return hooks.Judgement{}, err
	}
	input := payload("PreToolUse", bash("rm -r x"))
	root := t.TempDir()
	for _, attended := range []string{"1", "0"} {
		env := map[string]string{"HOME": root, "AFAR_HOME": root, "CLAUDE_CODE_SESSION_ATTENDED": attended}
		getenv := func(name string) string { return env[name] }
		var stdout, stderr bytes.Buffer
		code := hooks.Run(hooks.PreToolUse(panics), strings.NewReader(input), &stdout, &stderr, getenv)
		if code != 2 || stdout.Len() > 0 {
			t.Errorf("attended %s: exit %d, stdout %q; want exit 2", attended, code, stdout.String())
		}
		for _, want := range []string{"does not run", "lost my head"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("attended %s: stderr %q, want %q", attended, stderr.String(), want)
			}
		}
	}
}

// FuzzPreToolUse gives the guard's hook any input. The hook ends with a decision, without
// output, or with exit 2 and a reason, but never with a recovered panic.
func FuzzPreToolUse(f *testing.F) {
	const session = `{"session_id":"s","cwd":"/p","permission_mode":"default","hook_event_name":"PreToolUse",`
	for _, seed := range []string{
		`{}`, `[]`, `"x"`, `"\ud800"`, `{"a":1,"a":2}`, `{"a\n":"\/"}`, `-`, `{`, `[1,]`, `"\u12"`, `[[[[]]]]`,
		`{"":""}`, ``,
	} {
		f.Add(seed)
		f.Add(session + `"tool_name":"Bash","tool_input":{"command":` + seed + `}}`)
		f.Add(session + `"tool_name":"mcp__x__delete","tool_input":` + seed + `}`)
	}
	root := f.TempDir()
	env := map[string]string{"HOME": root, "AFAR_HOME": root + "/none", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
	f.Fuzz(func(t *testing.T, input string) {
		getenv := func(name string) string { return env[name] }
		var stdout, stderr bytes.Buffer
		code := hooks.Run(hooks.PreToolUse(judge.Call), strings.NewReader(input), &stdout, &stderr, getenv)
		switch {
		case strings.Contains(stderr.String(), "internal error"):
			t.Fatal(stderr.String())
		case code == 2 && stderr.Len() > 0 && stdout.Len() == 0:
		case code != 0 || stdout.Len() > 0 && !json.Valid(stdout.Bytes()):
			t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
		}
	})
}
