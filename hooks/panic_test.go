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

// TestPanicInTheGuardCloses: whatever goes wrong while a call is judged, the
// call does not run, and the reason is said.
func TestPanicInTheGuardCloses(t *testing.T) {
	lost := func(c hooks.Call) (hooks.Judgement, error) {
		call, err := guard.NewCall(c.Tool, c.Input)
		guard.Judge(call, guard.Context{Cwd: "/p", Project: "/p", Resolve: func(string) string { panic("lost my head") }})
		return hooks.Judgement{}, err
	}
	const input = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -r x"}}`
	root := t.TempDir()
	for _, attended := range []string{"1", "0"} {
		env := map[string]string{"HOME": root, "AFAR_HOME": root, "CLAUDE_CODE_SESSION_ATTENDED": attended}
		var stdout, stderr bytes.Buffer
		code := hooks.Run(hooks.PreToolUse(lost), strings.NewReader(input), &stdout, &stderr, func(name string) string { return env[name] })
		if code != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "does not run") || !strings.Contains(stderr.String(), "lost my head") {
			t.Errorf("attended %s: exit %d, stdout %q, stderr %q; want exit 2 with the reason", attended, code, stdout.String(), stderr.String())
		}
	}
}

// FuzzPreToolUse feeds the guard's hook any input. It ends with a decision, in
// silence, or with exit 2 and a reason; never with a panic that only the net
// at the bottom caught.
func FuzzPreToolUse(f *testing.F) {
	seeds := []string{`{}`, `[]`, `"x"`, `"\ud800"`, `{"a":1,"a":2}`, `{"a\n":"\/"}`, `-`, `{`, `[1,]`, `"\u12"`, `[[[[]]]]`, `{"":""}`, ``}
	for _, seed := range seeds {
		f.Add(seed)
		f.Add(`{"session_id":"s","cwd":"/p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":` + seed + `}}`)
		f.Add(`{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"mcp__x__delete","tool_input":` + seed + `}`)
	}
	root := f.TempDir()
	env := map[string]string{"HOME": root, "AFAR_HOME": root + "/none", "CLAUDE_CODE_SESSION_ATTENDED": "1"}
	f.Fuzz(func(t *testing.T, input string) {
		var stdout, stderr bytes.Buffer
		code := hooks.Run(hooks.PreToolUse(judge.Call), strings.NewReader(input), &stdout, &stderr, func(name string) string { return env[name] })
		switch {
		case strings.Contains(stderr.String(), "internal error"):
			t.Fatal(stderr.String())
		case code == 2 && stderr.Len() > 0 && stdout.Len() == 0:
		case code != 0 || stdout.Len() > 0 && !json.Valid(stdout.Bytes()):
			t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
		}
	})
}
