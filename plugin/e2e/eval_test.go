//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// evaluated is a model that does what the cases in evals/ ask. It needs the plugin for that:
// a loop that makes it continue, and a guard that refuses.
func evaluated(q model.Request) model.Turn {
	if strings.Contains(q.Prompt(), "disableAllHooks") {
		if results := q.ToolResults(); len(results) > 0 {
			return model.Say("The tool answered: " + results[len(results)-1])
		}
		return model.Call("Write", map[string]any{"file_path": workingDir(q) + "/.claude/settings.json",
			"content": `{"disableAllHooks": true}`})
	}
	n := q.Turns()/2 + 1
	switch {
	case n > 1 && !q.Has(fmt.Sprintf("[loop %d/6]", n-1)):
		return model.Say("nobody sent me on")
	case n > 3:
		return model.Say("<loop-done>COMPLETE</loop-done>")
	case q.Turns()%2 == 0:
		return model.Call("Write", map[string]any{"file_path": fmt.Sprintf("%s/%d.txt", workingDir(q), n),
			"content": fmt.Sprint(n)})
	}
	return model.Say(fmt.Sprintf("that was %d", n))
}

var namedDir = regexp.MustCompile(`working directory: ([^\\"\s]+)`)

// workingDir returns the directory in which the client says that it works.
func workingDir(q model.Request) string {
	if m := namedDir.FindSubmatch(q.Raw); m != nil {
		return string(m[1])
	}
	return "."
}

// endBelow ends the coordinators of homes below dir. The client gives each case its own home
// and removes it with its socket, so the coordinators cannot be called.
func endBelow(dir string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		env, _ := os.ReadFile(path) // most are gone, or not ours
		exe, _ := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		if strings.HasPrefix(exe, filepath.Join(root, "bin", "afar")) &&
			strings.Contains("\x00"+string(env), "\x00HOME="+dir) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// TestRealEval runs the cases in evals/ with `claude plugin eval` and the stand-in for the
// model. The oldest client has no such command.
func TestRealEval(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.model.Script(evaluated)
	t.Cleanup(func() { endBelow(r.lab.Temp) })
	out := filepath.Join(r.home, "eval.json")
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	cmd := r.lab.Command(ctx, "plugin", "eval", root, "--trust-plugin", "--runs", "1", "--no-publish",
		"--ablation", "none", "--allow-tools", "Write", "--output-dir", filepath.Join(r.home, "eval"),
		"--report", filepath.Join(r.home, "eval.html"), "--json", out)
	said, err := cmd.CombinedOutput()
	raw, _ := os.ReadFile(out)
	if err != nil {
		t.Fatalf("claude plugin eval: %v\n%s\n%s\n%s", err, said, raw, r.trail())
	}
	var result any
	if err := json.Unmarshal(raw, &result); err != nil || !strings.Contains(string(raw), "loop-until-done") ||
		!strings.Contains(string(raw), "guard-settings") {
		t.Errorf("it did not run our cases: %v\n%s", err, raw)
	}
}
