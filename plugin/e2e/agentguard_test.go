//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// A guardedAgent is another agent's own program, as a person starts it in a mode that asks nothing.
type guardedAgent struct {
	name, version string
	args          []string
	settings      func(r *rig) map[string]string // files of the home, by their names
	env           func(r *rig) []string
	shell         func(command string) model.Turn
	open          bool // doctor says that a call may run unjudged
	lenient       bool // a call runs when the hook is gone
}

func bashTool(tool string) func(string) model.Turn {
	return func(command string) model.Turn {
		return model.Call(tool, map[string]any{"command": command, "description": "scripted"})
	}
}

var guardedAgents = []guardedAgent{
	{
		name: "codex", version: host.Codex, open: true, lenient: true, shell: codexShell,
		args: []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"},
		settings: func(r *rig) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf("model = \"gpt-5\"\nmodel_provider = \"loopback\"\n"+
				"[model_providers.loopback]\nname = \"loopback\"\nbase_url = \"%s/v1\"\nenv_key = \"OPENAI_API_KEY\"\n"+
				"wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n", r.model.URL())}
		},
		env: func(*rig) []string { return []string{"OPENAI_API_KEY=sk-fake"} },
	},
	{
		name: "copilot", version: host.Copilot, shell: bashTool("bash"),
		args: []string{"--allow-all-tools", "-p"},
		env: func(r *rig) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + r.model.URL(), "COPILOT_MODEL=claude-sonnet-4-5",
				"COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_API_KEY=k"}
		},
	},
	{
		name: "gemini", version: host.Gemini, open: true, shell: bashTool("run_shell_command"),
		args: []string{"-y", "--skip-trust", "-p"},
		settings: func(*rig) map[string]string {
			return map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`}
		},
		env: func(r *rig) []string { return []string{"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=" + r.model.URL()} },
	},
	{
		name: "opencode", version: host.Opencode, shell: bashTool("bash"),
		args: []string{"run"},
		settings: func(r *rig) map[string]string {
			return map[string]string{".config/opencode/opencode.json": fmt.Sprintf(`{"model":"anthropic/claude-sonnet-4-5",`+
				`"small_model":"anthropic/claude-sonnet-4-5","autoupdate":false,"share":"disabled","provider":{"anthropic":`+
				`{"options":{"baseURL":"%s/v1","apiKey":"k"}}}}`, r.model.URL())}
		},
		env: func(r *rig) []string { // it looks for packages before it loads a plugin
			return []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_fetch_retries=0",
				"npm_config_registry=" + r.model.URL() + "/npm"}
		},
	},
}

// TestRealAgentGuard: the guard denies in the own terminal of another agent, asks on the phone, and stays out of the
// rest. When its hook is gone, a call does not run, or doctor has said that it would.
func TestRealAgentGuard(t *testing.T) {
	t.Parallel()
	for _, a := range guardedAgents {
		t.Run(a.name, func(t *testing.T) {
			if a.name != "codex" {
				long.Only(t) // they start slowly
			}
			a.test(t)
		})
	}
}

func (a guardedAgent) test(t *testing.T) {
	program := host.NeedAgent(t, a.name, a.version)
	r := newRigOf(t, program, faulty(t)) // programs of its own, of which one is removed
	if a.settings != nil {
		for name, text := range a.settings(r) {
			r.makeDir(filepath.Dir(filepath.Join(r.lab.Home, name)))
			write(t, r.lab.Home, name, text)
		}
	}
	r.must("guard", "install", "--for", a.name)
	said, _ := r.afar("doctor") // this home has no plugin, which is a fault
	if !strings.Contains(said, "guard."+a.name) || strings.Contains(said, "open on failure") != (a.open && a.name != "codex") {
		t.Errorf("doctor says\n%s", said)
	}
	if a.name == "codex" && !strings.Contains(said, "nobody has trusted it") {
		t.Errorf("doctor does not see that codex does not trust the hook:\n%s", said)
	}

	publish := func(what string) string { // the guard asks about it; here it publishes nothing
		return "npm publish --dry-run-" + what + " --registry http://127.0.0.1:9 || touch " + what
	}
	ended := a.start(r, program, "touch passed", "rm -rf ~; touch denied", publish("refused"), publish("allowed"),
		"ulimit -H -x > mark")
	r.tap(r.card("refused"), "Deny")
	r.tap(r.card("allowed"), "Allow")
	if out := <-ended; !r.exists("passed") || r.exists("denied") || r.exists("refused") || !r.exists("allowed") {
		t.Errorf("passed, denied, refused, allowed: %t, %t, %t, %t\n%s", r.exists("passed"), r.exists("denied"),
			r.exists("refused"), r.exists("allowed"), out)
	}
	if mark, _ := os.ReadFile(filepath.Join(r.lab.Project, "mark")); !strings.HasPrefix(string(mark), "73573") {
		t.Errorf("the agent has no birthmark: its shells have the limit %q", mark)
	}
	turns := r.model.Turns()
	if last := turns[len(turns)-1]; !last.Has("Afar's guard refused this") {
		t.Errorf("the model does not know why: %q", last.Texts())
	}

	if err := os.Remove(filepath.Join(r.bin, "hook-agent")); err != nil { // of this test's own programs
		t.Fatal(err)
	}
	if out := <-a.start(r, program, "touch unjudged"); r.exists("unjudged") != a.lenient {
		t.Errorf("without its hook the call ran: %t\n%s", r.exists("unjudged"), out)
	}
	if said, _ := r.afar("doctor"); !strings.Contains(said, a.name+" is not guarded") {
		t.Errorf("doctor does not see that the program is gone:\n%s", said)
	}
	r.must("guard", "remove", "--for", a.name)
	if said, _ := r.afar("doctor"); strings.Contains(said, "guard."+a.name) {
		t.Errorf("after it was removed, doctor says\n%s", said)
	}
}

// start starts the agent with a prompt that makes it call its shell, and returns what it printed when it has ended.
func (a guardedAgent) start(r *rig, program string, commands ...string) <-chan string {
	r.t.Helper()
	var turns []model.Turn
	for _, c := range commands {
		turns = append(turns, a.shell(c))
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	cmd := exec.CommandContext(ctx, program, append(a.args, play(append(turns, model.Say("fin"))...))...)
	cmd.Dir = r.lab.Project
	cmd.Env = append([]string{
		"HOME=" + r.lab.Home, "PATH=" + os.Getenv("PATH"), "AFAR_HOME=" + r.home, "TERM=xterm-256color",
		"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1",
	}, a.env(r)...)
	ended := make(chan string, 1)
	go func() {
		defer cancel()
		out, err := cmd.CombinedOutput()
		ended <- fmt.Sprintf("%s\n%v", out, err)
	}()
	return ended
}
