package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// policyFile writes a policy file and returns the environment of a session in
// its directory.
func policyFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// in moves a payload's session to another directory.
func in(dir, payload string) string {
	return strings.Replace(payload, `"cwd":"/tmp/p"`, fmt.Sprintf(`"cwd":%q`, dir), 1)
}

// TestPolicyFiles: the hook reads both files itself, with no coordinator there.
func TestPolicyFiles(t *testing.T) {
	for _, c := range []struct {
		name, mine, project, command string
		want                         string // part of the output; "" for none
	}{
		{"no file", "", "", "npm publish", `"ask"`},
		{"stricter by the project", "", "[rules]\npublish='deny'", "npm publish", `"deny"`},
		{"no milder by the project", "", "[rules]\npublish='off'", "npm publish", `"ask"`},
		{"milder by the person", "[rules]\npublish='off'", "", "npm publish", ""},
		{"a rule of the project's", "", "[[rule]]\nid='t.x'\nverdict='deny'\nwhy='w'\ninstead='Use the stage.'\ncommand='make deploy'", "make -j4 deploy", "Use the stage."},
		{"a protected path", "", "[[protect]]\npath='infra'", "echo x > infra/a", `"deny"`},
		{"a broken file says so", "", "[rules]\npublis='deny'", "npm publish", "a guard.toml is broken"},
		{"a broken file opens nothing", "nonsense", "[rules]\npublis='deny'", "git push --force origin main", `"deny"`},
		{"a file itself", "", "[rules]\npublish='deny'", "echo > guard.toml", `"deny"`},
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
			r := runHook(t, "hook-pre-tool-use", root, env, strings.NewReader(in(dir, payload("PreToolUse", bash(c.command)))))
			if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, c.want) || c.want == "" && r.stdout != "" {
				t.Errorf("exit %d, %s%s, want %s", r.code, r.stdout, r.stderr, c.want)
			}
		})
	}
}

// TestSessionStartTellsBroken: the person reads of a broken policy before the
// first call, also when no coordinator is there.
func TestSessionStartTellsBroken(t *testing.T) {
	root := homeDir(t)
	policyFile(t, filepath.Join(root, "p", "guard.toml"), "[rules]\n\npublis = 'deny'\n")
	env := append([]string{"CLAUDE_PROJECT_DIR=" + filepath.Join(root, "p")}, attended...)
	r := runHook(t, "hook-session-start", root, env, strings.NewReader(payload("SessionStart", `,"source":"startup"`)))
	if r.code != 0 || !strings.Contains(r.stdout, `"systemMessage":"The guard's policy is broken`) || !strings.Contains(r.stdout, `line 3: no rule has the id`) || !strings.Contains(r.stdout, `did you mean`) {
		t.Errorf("exit %d, %s", r.code, r.stdout)
	}
	root = homeDir(t)
	if r := runHook(t, "hook-session-start", root, attended, strings.NewReader(payload("SessionStart", `,"source":"startup"`))); strings.Contains(r.stdout, "policy") {
		t.Errorf("without a file: %s", r.stdout)
	}
}

// TestReadsOnly: an agent that is held to reading, by either name of its type.
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
		r := runHook(t, "hook-pre-tool-use", homeDir(t), attended, strings.NewReader(in))
		if r.code != 0 || !strings.Contains(r.stdout, c.want) || c.want == "" && r.stdout != "" {
			t.Errorf("%s %s: exit %d, %s", c.agent, c.call, r.code, r.stdout)
		}
	}
}

// TestGuardAskByMode: what the guard would ask opens the dialog in every mode
// where someone sits there; where nobody does, and nobody can be asked, it is
// refused in every mode.
func TestGuardAskByMode(t *testing.T) {
	for _, mode := range []string{"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "somethingNew", ""} {
		in := strings.Replace(payload("PreToolUse", bash(`bash -c "$(cat recipe.txt)"`)), `"permission_mode":"default"`, fmt.Sprintf(`"permission_mode":%q`, mode), 1)
		for want, who := range map[string][]string{`"permissionDecision":"ask"`: attended, `"permissionDecision":"deny"`: unattended} {
			r := runHook(t, "hook-pre-tool-use", homeDir(t), who, strings.NewReader(in))
			if r.code != 0 || !strings.Contains(r.stdout, want) {
				t.Errorf("%s, %s: exit %d, %s", mode, who[0], r.code, r.stdout)
			}
		}
	}
}
