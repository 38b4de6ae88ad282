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
	"github.com/afar-sh/afar/coordinator/standin/long"
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
		"HOME":                         root,
		"AFAR_HOME":                    filepath.Join(root, "afar"),
		"CLAUDE_CODE_SESSION_ATTENDED": "1",
		"CLAUDE_PROJECT_DIR":           p.project,
	}
	var err error
	if p.dirs, err = home.FromEnv(p.getenv); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p judgedPlace) getenv(name string) string { return p.env[name] }

// run runs the PreToolUse hook in this process.
func (p judgedPlace) run(input string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = hooks.Run(hooks.PreToolUse(judge.Call), strings.NewReader(input), &out, &errs, p.getenv)
	return code, out.String(), errs.String()
}

// want returns the verdict of the guard itself.
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

// printed returns the verdict in a hook's output.
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

// TestEveryCaseInTheHook: the hook's verdict on each case is that of the guard; in the ordinary CI on every fourth
// command for Bash. The tests of the server, the policy and the command line use the same cases.
func TestEveryCaseInTheHook(t *testing.T) {
	long.InCI(t)
	bin, err := home.Bin()
	if err != nil {
		t.Fatal(err)
	}
	p := newJudgedPlace(t, bin)
	for i, c := range allCases(t) {
		if c.Tool == "Bash" && i%4 != 0 && !long.Runs() {
			continue
		}
		err := c.At(p.project, func() {
			code, stdout, stderr := p.run(p.input(c))
			if have, want := printed(t, c, []byte(stdout)), p.want(t, c); code != 0 || have != want {
				t.Errorf("%s: %s %s: exit %d, %q; want %q. %s", c.Where, c.Tool, c.Input, code, have, want, stderr)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestToolCasesInTheBinary runs the hook binary on each case that is not a shell command,
// and on some shell commands.
func TestToolCasesInTheBinary(t *testing.T) {
	long.InCI(t)
	if testing.Short() {
		t.Skip("runs a process for each case")
	}
	p := newJudgedPlace(t, bins)
	var env []string
	for name, value := range p.env {
		env = append(env, name+"="+value)
	}
	for i, c := range allCases(t) {
		if c.Tool == "Bash" && i%50 != 0 && (len(c.Files) == 0 || i%8 != 0) {
			continue
		}
		placed := c.At(p.project, func() {
			hook := exec.Command(filepath.Join(bins, "hook-pre-tool-use"))
			hook.Env, hook.Stdin = env, strings.NewReader(p.input(c))
			stdout, err := hook.Output()
			if have, want := printed(t, c, stdout), p.want(t, c); err != nil || have != want {
				t.Errorf("%s: %s %s: %v, %q; want %q", c.Where, c.Tool, c.Input, err, have, want)
			}
		})
		if placed != nil {
			t.Fatal(placed)
		}
	}
}

// TestAmbiguousInputCloses: a call does not run if two readers could understand its input
// differently.
func TestAmbiguousInputCloses(t *testing.T) {
	p := newJudgedPlace(t, bins)
	code, stdout, stderr := p.run(p.input(calls.Case{Tool: "Bash", Input: `{"command":"ls","command":"rm -rf /"}`}))
	if code != 2 || !strings.Contains(stderr, `names "tool_input.command" twice`) {
		t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 with the reason", code, stdout, stderr)
	}
}
