package hookcall

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host/claude/hookoutput"
)

func TestRead(t *testing.T) {
	pre := func(word string) string { return string(hookoutput.Decide(PreToolUse, word, "why").Bytes()) }
	for _, c := range []struct {
		name, event string
		exit        int
		stdout      string
		stderr      string
		want        Output
	}{
		{"no opinion", PreToolUse, 0, "", "", Output{}},
		{"allowed", PreToolUse, 0, pre("allow"), "", Output{Decision: Allow, Reason: "why"}},
		{"denied", PreToolUse, 0, pre("deny"), "", Output{Decision: Deny, Reason: "why"}},
		{"a question", PreToolUse, 0, pre("ask"), "", Output{Reason: "why"}},
		{"an unknown word", PreToolUse, 0, pre("maybe"), "", Output{Decision: Deny, Reason: "why"}},
		{"a decision that is no word", PreToolUse, 0, `{"hookSpecificOutput":{"permissionDecision":true}}`, "",
			Output{Decision: Deny}},
		{"closed", PreToolUse, 2, "", "the guard\n", Output{Decision: Deny, Reason: "the guard"}},
		{"closed without a word", PreToolUse, 2, pre("allow"), "",
			Output{Decision: Deny, Reason: "Afar's hook refused it"}},
		{"failed", PreToolUse, 1, pre("allow"), "",
			Output{Decision: Deny, Reason: "Afar's hook failed, so the call does not run."}},
		{"killed", PermissionRequest, -1, "", "",
			Output{Decision: Deny, Reason: "Afar's hook failed, so the call does not run."}},
		{"garbage", PreToolUse, 0, "yes", "",
			Output{Decision: Deny, Reason: "Afar's hook failed, so the call does not run."}},
		{"two objects", PreToolUse, 0, pre("allow") + pre("deny"), "",
			Output{Decision: Deny, Reason: "Afar's hook failed, so the call does not run."}},
		{"the turn ends", PreToolUse, 0, `{"continue":false,"stopReason":"Ann"}`, "",
			Output{Decision: Deny, Reason: "Ann", Interrupt: true}},
		{"yes", PermissionRequest, 0, string(hookoutput.Grant(nil, nil).Bytes()), "", Output{Decision: Allow}},
		{"no", PermissionRequest, 0, string(hookoutput.Refuse("no", true).Bytes()), "",
			Output{Decision: Deny, Reason: "no", Interrupt: true}},
		{
			"yes to another input", PermissionRequest, 0, string(hookoutput.Grant([]byte("{}"), nil).Bytes()), "",
			Output{Decision: Deny, Reason: "The call was allowed with other input, which this agent cannot take."},
		},
		{"a notice", PermissionRequest, 0, string(hookoutput.Notice("x").Bytes()), "", Output{}},
		{"a stop that goes on", Stop, 0, string(hookoutput.Block("again", "").Bytes()), "",
			Output{Decision: Deny, Reason: "again"}},
		{"a stop whose hook failed", Stop, 1, "", "x", Output{}},
		{"a prompt with context", UserPromptSubmit, 0, string(hookoutput.Context(UserPromptSubmit, "text", "").Bytes()),
			"", Output{Context: "text"}},
		{"a blocked prompt", UserPromptSubmit, 0, string(hookoutput.BlockPrompt(UserPromptSubmit, "no").Bytes()), "",
			Output{Decision: Deny, Reason: "no"}},
	} {
		if got := Read(c.event, c.exit, c.stdout, c.stderr); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestInputs: each input is what a hook accepts, with the call unchanged.
func TestInputs(t *testing.T) {
	s := Session{ID: "s", Cwd: "/w", Prompt: "p"}
	input := []byte(`{"command":"echo \"a\"\n"}`)
	for event, raw := range map[string][]byte{
		SessionStart:     s.Begin(true, "m"),
		UserPromptSubmit: s.Submit("do\nit"),
		PreToolUse:       s.Tool(PreToolUse, "Bash", input, "u"),
		Stop:             s.Rest(true, "said"),
		StopFailure:      s.Fail("why"),
		SessionEnd:       s.Leave(),
	} {
		v, err := hostjson.Parse(string(raw), hostjson.MaxDepth)
		if err != nil || v.Get("hook_event_name").Str() != event || v.Get("session_id").Str() != "s" {
			t.Errorf("%s: %s, %v", event, raw, err)
		}
		if event == PreToolUse && v.Get("tool_input.command").Str() != "echo \"a\"\n" {
			t.Errorf("the call: %s", raw)
		}
	}
}

// FuzzRead: a call is allowed only by a hook that ended well and printed that word.
func FuzzRead(f *testing.F) {
	f.Add(PreToolUse, 0, `{"hookSpecificOutput":{"permissionDecision":"allow"}}`, "")
	f.Add(PermissionRequest, 0, `{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}`, "")
	f.Add(Stop, 2, `{"decision":"block"}`, "x")
	f.Fuzz(func(t *testing.T, event string, exit int, stdout, stderr string) {
		out := Read(event, exit, stdout, stderr)
		if out.Decision == Allow && (exit != 0 ||
			!strings.Contains(stdout, "allow") && !strings.Contains(stdout, `\u`)) {
			t.Fatalf("%s, exit %d, %q: allowed", event, exit, stdout)
		}
		if out.Interrupt && out.Decision != Deny {
			t.Fatalf("%s: %+v", event, out)
		}
	})
}
