package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// policyFile writes a policy file.
func policyFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inDir returns a payload whose session works in dir.
func inDir(dir, payload string) string {
	return strings.Replace(payload, `"cwd":"/tmp/p"`, fmt.Sprintf(`"cwd":%q`, dir), 1)
}

// wantOutput checks that a hook has printed a text, or nothing if the text is "".
func wantOutput(t *testing.T, r result, want string) {
	t.Helper()
	unwanted := want == "" && r.stdout != ""
	if r.code != 0 || r.stderr != "" || unwanted || !strings.Contains(r.stdout, want) {
		t.Errorf("exit %d, %s%s, want %q", r.code, r.stdout, r.stderr, want)
	}
}

// TestPolicyFiles: the hook reads both policy files itself, without a coordinator.
func TestPolicyFiles(t *testing.T) {
	const rule = "[[rule]]\nid='t.x'\nverdict='deny'\nwhy='w'\ninstead='Use the stage.'\ncommand='make deploy'"
	for _, c := range []struct {
		name, mine, project, command string
		want                         string // part of the output; "" for none
	}{
		{"no file", "", "", "npm publish", `"ask"`},
		{"stricter by the project", "", "[rules]\npublish='deny'", "npm publish", `"deny"`},
		{"not milder by the project", "", "[rules]\npublish='off'", "npm publish", `"ask"`},
		{"milder by the person", "[rules]\npublish='off'", "", "npm publish", ""},
		{"a rule of the project", "", rule, "make -j4 deploy", "Use the stage."},
		{"a protected path", "", "[[protect]]\npath='infra'", "echo x > infra/a", `"deny"`},
		{"a broken file says so", "", "[rules]\npublis='deny'", "npm publish", "a guard.toml is broken"},
		{"a broken file allows nothing", "nonsense", "[rules]\npublis='deny'", "rm -rf /", `"deny"`},
		{"a policy file itself", "", "[rules]\npublish='deny'", "echo > guard.toml", `"deny"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := homeDir(t)
			dir := filepath.Join(root, "p")
			policyFile(t, filepath.Join(dir, "main.go"), "")
			if c.mine != "" {
				policyFile(t, filepath.Join(root, "afar", "guard.toml"), c.mine)
			}
			if c.project != "" {
				policyFile(t, filepath.Join(dir, "guard.toml"), c.project)
			}
			env := append([]string{"CLAUDE_PROJECT_DIR=" + dir}, attended...)
			r := runHook(t, "hook-pre-tool-use", root, env, inDir(dir, payload("PreToolUse", bash(c.command))))
			wantOutput(t, r, c.want)
		})
	}
}

// TestSessionStartTellsBroken: the person learns of a broken policy before the first call,
// even without a coordinator.
func TestSessionStartTellsBroken(t *testing.T) {
	root := homeDir(t)
	policyFile(t, filepath.Join(root, "p", "guard.toml"), "[rules]\n\npublis = 'deny'\n")
	env := append([]string{"CLAUDE_PROJECT_DIR=" + filepath.Join(root, "p")}, attended...)
	started := payload("SessionStart", `,"source":"startup"`)
	r := runHook(t, "hook-session-start", root, env, started)
	for _, want := range []string{
		`"systemMessage":"The guard's policy is broken`,
		"line 3: no rule has the id",
		"did you mean",
	} {
		wantOutput(t, r, want)
	}
	r = runHook(t, "hook-session-start", homeDir(t), attended, started)
	if strings.Contains(r.stdout, "policy") {
		t.Errorf("without a file: %s", r.stdout)
	}
}

// TestReadsOnly: the guard lets a read-only agent only read. The agent's type has two
// names.
func TestReadsOnly(t *testing.T) {
	for _, c := range []struct{ agent, call, want string }{
		{"alice", bash("git diff | head"), ""},
		{"afar:alice", bash("touch x"), `"deny"`},
		{"alice", bash("touch x"), `"deny"`},
		{"alice", bash("afar consult 'is it right?'"), ""},
		{"alice", `,"tool_name":"Write","tool_input":{"file_path":"/tmp/p/x","content":"y"}`, `"deny"`},
		{"alice", `,"tool_name":"Read","tool_input":{"file_path":"/tmp/p/x"}`, ""},
		{"alice", `,"tool_name":"mcp__db__run","tool_input":{"sql":"select 1"}`, `"deny"`},
		{"bob", bash("touch x"), ""},
		{"other:alice", bash("touch x"), ""},
	} {
		in := payload("PreToolUse", fmt.Sprintf(`,"agent_id":"a1","agent_type":%q%s`, c.agent, c.call))
		r := runHook(t, "hook-pre-tool-use", homeDir(t), attended, in)
		t.Logf("%s %s", c.agent, c.call)
		wantOutput(t, r, c.want)
	}
}

// TestGuardAskByMode: in every mode, a question of the guard opens the dialog if a person
// sits at the terminal. Otherwise the call is refused if nobody can be asked.
func TestGuardAskByMode(t *testing.T) {
	unreadable := bash(`bash -c "$(awk 1 recipe.txt)"`)
	for _, mode := range []string{
		"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "somethingNew", "",
	} {
		in := payload("PreToolUse", unreadable+fmt.Sprintf(`,"permission_mode":%q`, mode))
		for want, who := range map[string][]string{
			`"permissionDecision":"ask"`:  attended,
			`"permissionDecision":"deny"`: unattended,
		} {
			r := runHook(t, "hook-pre-tool-use", homeDir(t), who, in)
			if r.code != 0 || !strings.Contains(r.stdout, want) {
				t.Errorf("%s, %s: exit %d, %s", mode, who[0], r.code, r.stdout)
			}
		}
	}
}
