package hooks_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/calls"
	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/judge"
)

// A judgedPlace is a session without a repository and without a coordinator.
type judgedPlace struct {
	bin, project string
	env          map[string]string
	dirs         home.Dirs
}

func newJudgedPlace(t *testing.T, bin string) judgedPlace {
	t.Helper()
	root := t.TempDir()
	p := judgedPlace{bin: bin, project: filepath.Join(root, "proj")}
	p.env = map[string]string{
		"HOME": root, "AFAR_HOME": filepath.Join(root, "afar"), "CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_PROJECT_DIR": p.project,
	}
	var err error
	if p.dirs, err = home.FromEnv(func(name string) string { return p.env[name] }); err != nil {
		t.Fatal(err)
	}
	return p
}

// want is the verdict of the guard itself.
func (p judgedPlace) want(t *testing.T, c calls.Case) guard.Verdict {
	t.Helper()
	call, err := guard.ReadCall(c.Tool, c.Input)
	if err != nil {
		t.Fatalf("%s: %v", c.Where, err)
	}
	return guard.Judge(call, callsite.Context(p.dirs, p.bin, p.project, p.project)).Verdict
}

func (p judgedPlace) input(c calls.Case) string {
	return `{"session_id":"s","hook_event_name":"PreToolUse","permission_mode":"default","cwd":` + quoted(p.project) +
		`,"tool_name":` + quoted(c.Tool) + `,"tool_input":` + c.Input + `}`
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a string has a JSON form
	return string(raw)
}

// printed is the verdict in what a hook printed.
func printed(t *testing.T, c calls.Case, stdout []byte) guard.Verdict {
	t.Helper()
	var out struct {
		Specific struct {
			Decision guard.Verdict `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if len(stdout) == 0 {
		return guard.None
	}
	if err := json.Unmarshal(stdout, &out); err != nil {
		t.Fatalf("%s: %v: %s", c.Where, err, stdout)
	}
	return out.Specific.Decision
}

func allCases(t *testing.T) []calls.Case {
	t.Helper()
	cases, err := calls.All()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestEveryCaseInTheHook: the hook's verdict on each case is the guard's own. The
// server, the policy's tests and the command line are held against the same.
func TestEveryCaseInTheHook(t *testing.T) {
	bin, err := home.Bin()
	if err != nil {
		t.Fatal(err)
	}
	p := newJudgedPlace(t, bin)
	for _, c := range allCases(t) {
		var stdout, stderr bytes.Buffer
		code := hooks.Run(hooks.PreToolUse(judge.Call), strings.NewReader(p.input(c)), &stdout, &stderr, func(name string) string { return p.env[name] })
		if have, want := printed(t, c, stdout.Bytes()), p.want(t, c); code != 0 || have != want {
			t.Errorf("%s: %s %s: exit %d, %q; want %q. %s", c.Where, c.Tool, c.Input, code, have, want, stderr.String())
		}
	}
}

// TestToolCasesInTheBinary runs the installed hook itself on each case that is no
// shell command, and on some that are.
func TestToolCasesInTheBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process for each case")
	}
	p := newJudgedPlace(t, bins)
	var env []string
	for name, value := range p.env {
		env = append(env, name+"="+value)
	}
	for i, c := range allCases(t) {
		if c.Tool == "Bash" && i%50 != 0 {
			continue
		}
		hook := exec.Command(filepath.Join(bins, "hook-pre-tool-use"))
		hook.Env, hook.Stdin = env, strings.NewReader(p.input(c))
		stdout, err := hook.Output()
		if have, want := printed(t, c, stdout), p.want(t, c); err != nil || have != want {
			t.Errorf("%s: %s %s: %v, %q; want %q", c.Where, c.Tool, c.Input, err, have, want)
		}
	}
}

// TestAmbiguousInputCloses: an input that two readers take differently does not
// run.
func TestAmbiguousInputCloses(t *testing.T) {
	p := newJudgedPlace(t, bins)
	var stdout, stderr bytes.Buffer
	input := p.input(calls.Case{Tool: "Bash", Input: `{"command":"ls","command":"rm -rf /"}`})
	code := hooks.Run(hooks.PreToolUse(judge.Call), strings.NewReader(input), &stdout, &stderr, func(name string) string { return p.env[name] })
	if code != 2 || !strings.Contains(stderr.String(), `names "tool_input.command" twice`) {
		t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 with the reason", code, stdout.String(), stderr.String())
	}
}
