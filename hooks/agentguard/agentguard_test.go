package agentguard

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/hooks"
)

// play runs the hook of an agent with a guard that denies every call whose tool and input contain bad. It returns the
// calls that the guard was asked about.
func play(t testing.TB, agent, payload, bad string) (seen []string, stdout, stderr string, code int) {
	t.Helper()
	home := t.TempDir()
	guard := func(c hooks.Call) (hooks.Judgement, error) {
		call := c.Tool + " " + c.Input.Raw()
		seen = append(seen, call)
		if bad == "panic" {
			panic("broken guard")
		}
		if bad != "" && strings.Contains(call, bad) {
			return hooks.Judgement{Verdict: hooks.Deny, Rule: "test.rule", Person: "It is bad"}, nil
		}
		return hooks.Judgement{}, nil
	}
	env := func(name string) string {
		return map[string]string{"AFAR_HOME": home, "HOME": home, "CLAUDE_ENV_FILE": "/etc/passwd"}[name]
	}
	var out, said bytes.Buffer
	code = Run(agent, hooks.PreToolUse(guard), strings.NewReader(payload), &out, &said, env)
	return seen, out.String(), said.String(), code
}

// payloads are a call of the shell as each agent sends it, recorded with the real programs but for Cursor's. COMMAND
// stands for the command.
var payloads = map[string]string{
	"codex": `{"session_id":"01a2","turn_id":"01a3","transcript_path":"/t.jsonl","cwd":"/w","hook_event_name":"PreToolUse",` +
		`"model":"gpt-5","permission_mode":"bypassPermissions","tool_name":"Bash","tool_input":{"command":"COMMAND"},` +
		`"tool_use_id":"call_1"}`,
	"gemini": `{"session_id":"9368","transcript_path":"/t.jsonl","cwd":"/w","hook_event_name":"BeforeTool",` +
		`"timestamp":"2026-11-29T15:23:55.899Z","tool_name":"run_shell_command",` +
		`"tool_input":{"command":"COMMAND","description":"scripted"}}`,
	"opencode": `{"tool":"bash","sessionID":"ses_1","callID":"toolu_1","directory":"/w",` +
		`"args":{"command":"COMMAND","description":"scripted"}}`,
	"copilot": `{"sessionId":"0aa2","timestamp":1795966537149,"cwd":"/w","toolName":"bash",` +
		`"toolArgs":{"command":"COMMAND","description":"scripted"}}`,
	"cursor": `{"conversation_id":"c1","generation_id":"g1","hook_event_name":"beforeShellExecution",` +
		`"workspace_roots":["/w"],"command":"COMMAND","cwd":""}`,
}

// TestShell: each agent's command is put to the guard. A refusal has the agent's own form, and what the guard has no
// opinion on is left to the agent.
func TestShell(t *testing.T) {
	for agent, payload := range payloads {
		payload = strings.ReplaceAll(payload, "COMMAND", "touch made")
		seen, out, said, code := play(t, agent, payload, "")
		if want := []string{`Bash {"command":"touch made"}`}; !slices.Equal(seen, want) || code != 0 || said != "" {
			t.Errorf("%s: judged %q, ended with %d, said %q", agent, seen, code, said)
		}
		if strings.Contains(out, "allow") || agent == "codex" && out != "" {
			t.Errorf("%s: a call without an opinion prints %q", agent, out)
		}
		if _, out, said, code := play(t, agent, payload, "touch"); !isRefused(out, code) || !strings.Contains(said, "It is bad") {
			t.Errorf("%s: a refusal ends with %d, prints %q and says %q", agent, code, out, said)
		}
	}
}

func isRefused(out string, code int) bool {
	return code == exitRefuses || code == 0 && strings.Contains(out, `:"deny","`)
}

// TestTools: the tools of the agents are put to the guard as those of Claude Code.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		agent, payload string
		want           []string
	}{
		{
			"gemini", `{"session_id":"s","cwd":"/w","tool_name":"write_file","tool_input":{"content":"x","file_path":"/w/f"}}`,
			[]string{`Write {"content":"x","file_path":"/w/f"}`},
		},
		{
			"gemini", `{"session_id":"s","cwd":"/w","tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"a b"}}`,
			[]string{`Bash {"command":"cd 'a b' && ls"}`},
		},
		{
			"gemini", `{"session_id":"s","cwd":"/w","tool_name":"shop_pay","tool_input":{"n":1}}`,
			[]string{`mcp__gemini__shop_pay {"n":1}`},
		},
		{
			"opencode", `{"tool":"edit","sessionID":"s","args":{"filePath":"/w/f","oldString":"a","newString":"b"}}`,
			[]string{`Edit {"old_string":"a","new_string":"b","file_path":"/w/f"}`},
		},
		{
			"copilot", `{"sessionId":"s","cwd":"/w","toolName":"create","toolArgs":"{\"path\":\"/w/f\",\"file_text\":\"x\"}"}`,
			[]string{`Write {"content":"x","file_path":"/w/f"}`},
		},
		{
			"cursor", `{"conversation_id":"s","hook_event_name":"beforeMCPExecution","tool_name":"mcp__a__b","tool_input":"{\"q\":1}"}`,
			[]string{`mcp__a__b {"q":1}`},
		},
		{
			"codex", `{"session_id":"s","cwd":"/w","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n` +
				`*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-1\n+2\n*** Delete File: d\n*** End Patch"}}`,
			[]string{
				`Write {"file_path":"a","content":"x\u000a"}`, `Bash {"command":"mv -- 'b' 'c'"}`,
				`Edit {"file_path":"b","old_string":"1\u000a","new_string":"2\u000a"}`, `Bash {"command":"rm -- 'd'"}`,
			},
		},
	} {
		if seen, _, said, code := play(t, c.agent, c.payload, ""); !slices.Equal(seen, c.want) || code != 0 {
			t.Errorf("%s: judged %q (%d %s), want %q", c.payload, seen, code, said, c.want)
		}
	}
	embedded := `{"session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"apply_patch <<'E'\n*** Begin Patch\n` +
		`*** Add File: a\n+x\n*** End Patch\nE\n"}}`
	if seen, out, _, code := play(t, "codex", embedded, "Write"); len(seen) != 2 || !isRefused(out, code) {
		t.Errorf("a patch in a command: judged %q, ended with %d", seen, code)
	}
}

// TestUnjudged: what cannot be judged is refused.
func TestUnjudged(t *testing.T) {
	for agent, payload := range payloads {
		for name, bad := range map[string]string{
			"empty":         "",
			"truncated":     payload[:len(payload)/2],
			"a list":        "[" + payload + "]",
			"no tool":       `{"session_id":"s"}`,
			"a number":      strings.ReplaceAll(payload, `"COMMAND"`, "7"),
			"no arguments":  strings.NewReplacer(`"tool_input"`, `"x"`, `"args"`, `"x"`, `"toolArgs"`, `"x"`, `"command"`, `"x"`).Replace(payload),
			"a broken text": `{"tool_name":"Bash","tool":"bash","toolName":"bash","tool_input":"{","args":"{","toolArgs":"{"}`,
		} {
			if seen, out, said, code := play(t, agent, bad, ""); !isRefused(out, code) || said == "" {
				t.Errorf("%s, %s: judged %.80q, ended with %d, %q", agent, name, seen, code, out)
			}
		}
		if _, out, said, code := play(t, agent, payload, "panic"); !isRefused(out, code) || !strings.Contains(said, "broken guard") {
			t.Errorf("%s with a broken guard: ended with %d, %q, %q", agent, code, out, said)
		}
	}
	huge := strings.ReplaceAll(payloads["codex"], "COMMAND", strings.Repeat("x", wire.MaxLine))
	if seen, _, _, code := play(t, "codex", huge, ""); code != exitRefuses {
		t.Errorf("a huge call: judged %d, ended with %d", len(seen), code)
	}
	if _, _, said, code := play(t, "nobody", payloads["codex"], ""); code != exitRefuses || !strings.Contains(said, "nobody") {
		t.Errorf("an unknown agent: %d, %q", code, said)
	}
}

// FuzzRun: with a guard that denies every call, nothing passes.
func FuzzRun(f *testing.F) {
	for agent, payload := range payloads {
		f.Add(agent, payload)
	}
	f.Add("codex", `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: \n"}}`)
	f.Fuzz(func(t *testing.T, agent, payload string) {
		if seen, out, _, code := play(t, agent, payload, " "); !isRefused(out, code) {
			t.Errorf("%q passed: judged %q, ended with %d, %q", payload, seen, code, out)
		}
	})
}
