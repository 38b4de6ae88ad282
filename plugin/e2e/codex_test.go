//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// newCodexRig is newRig with the real codex as an agent, against the model on loopback. No other
// host can be reached.
func newCodexRig(t *testing.T) *rig {
	t.Helper()
	program := host.NeedAgent(t, "codex", host.Codex)
	r := newRig(t, program)
	home := filepath.Join(r.lab.Home, ".codex")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, home, "config.toml",
		fmt.Sprintf("model = \"gpt-5\"\nmodel_provider = \"loopback\"\n[model_providers.loopback]\n"+
			"name = \"loopback\"\nbase_url = \"%s/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n"+
			"request_max_retries = 0\nstream_max_retries = 0\n", r.model.URL()))
	write(t, r.home, "codex.env",
		"OPENAI_API_KEY=sk-fake\nHTTPS_PROXY=http://127.0.0.1:9\nHTTP_PROXY=http://127.0.0.1:9\nNO_PROXY=127.0.0.1\n")
	keys := filepath.Join(r.home, "codex.env")
	if err := os.Chmod(keys, 0o600); err != nil {
		t.Fatal(err)
	}
	r.configure(fmt.Sprintf("[agents.codex]\ncommand = [%q]\nenv_file = %q", program, keys))
	return r
}

// codexShell returns a turn of the model that runs a command with codex's tool.
func codexShell(command string) model.Turn {
	return model.Call("exec_command", map[string]any{"cmd": command})
}

// patch is a command that codex takes for a change of files.
func patch(path, before, after string) string {
	return "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: " + path + "\n@@\n-" + before + "\n+" + after +
		"\n*** End Patch\nEOF\n"
}

// agentOf returns the arguments and the environment of the process that works on a conversation.
func (r *rig) agentOf(run wire.Run) (args, env string) {
	r.t.Helper()
	lock, err := os.ReadFile(filepath.Join(r.home, "state", "conversations", run.Conversation+".lock"))
	if err != nil || len(strings.Fields(string(lock))) < 3 {
		r.t.Fatalf("the lock of the conversation says %q: %v", lock, err)
	}
	of := func(what string) string {
		raw, err := os.ReadFile("/proc/" + strings.Fields(string(lock))[2] + "/" + what)
		if err != nil {
			r.t.Fatal(err)
		}
		return strings.ReplaceAll(string(raw), "\x00", "\n")
	}
	return of("cmdline"), of("environ")
}

// TestRealCodex: codex works under the guard, asks on the phone, and goes on with its conversation.
func TestRealCodex(t *testing.T) {
	r := newCodexRig(t)
	write(t, r.lab.Project, "notes", "one\n")
	secret := "a prompt that nobody else may read"
	r.startRun("cdx", secret+" "+play(
		codexShell("rm -rf ~; touch guarded"),
		codexShell("touch denied"),
		codexShell("touch allowed"),
		codexShell(patch("notes", "one", "two")),
		model.Say("fin"),
	), "--agent", "codex")

	denied := r.card("touch denied")
	waiting := r.becameRun("cdx", "waiting")
	args, env := r.agentOf(waiting)
	for _, text := range []string{secret, "bypass", "dangerous", "never", "full-auto"} {
		if strings.Contains(args, text) || strings.Contains(env, text) {
			t.Errorf("the process of codex shows %q: %s\n%s", text, args, env)
		}
	}
	if !strings.Contains(args, "app-server") || !strings.Contains(env, "OPENAI_API_KEY=sk-fake") {
		t.Errorf("the process of codex: %s\n%s", args, env)
	}
	r.tap(denied, "Deny")
	r.tap(r.card("touch allowed"), "Allow")

	end := r.becameRun("cdx", "idle")
	if end.Result != "fin" || end.Turns != 1 || end.Tokens != 150 || end.PID != 0 {
		t.Errorf("after the first turn: %+v", end)
	}
	if r.exists("guarded") || r.exists("denied") || !r.exists("allowed") {
		t.Errorf("guarded, denied, allowed: %t, %t, %t", r.exists("guarded"), r.exists("denied"), r.exists("allowed"))
	}
	if raw, err := os.ReadFile(filepath.Join(r.lab.Project, "notes")); string(raw) != "two\n" {
		t.Errorf("an edit in the directory: %q, %v", raw, err)
	}
	r.journal("guard.denied", "")
	turns := r.model.Turns()
	if last := turns[len(turns)-1]; !last.Has("Afar, about the refused call") {
		t.Errorf("the model does not know why: %q", last.Texts())
	}

	settings, err := os.ReadFile(filepath.Join(r.lab.Home, ".codex", "config.toml"))
	if err != nil || strings.Contains(string(settings), "trust_level") {
		t.Errorf("codex trusts the folder now: %s%v", settings, err)
	}
	checks, _ := r.afar("doctor") // this home has no plugin, which is a fault
	if !strings.Contains(checks, "codex-cli "+host.Codex+", signs in with OPENAI_API_KEY") {
		t.Errorf("afar doctor says\n%s", checks)
	}

	r.must("run", "send", "cdx", play(model.Say("second")))
	second := r.becameRun("cdx", "idle")
	turns = r.model.Turns()
	if last := turns[len(turns)-1]; second.Result != "second" || second.Turns != 2 || !last.Has(secret) {
		t.Errorf("after the second turn: %+v, %q", second, last.Texts())
	}
}
