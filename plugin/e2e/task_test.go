//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealTask: on a fresh install the real client works on a new task. It is told what Afar wrote into
// CLAUDE.md, works in the folder, and cannot change its instructions.
func TestRealTask(t *testing.T) {
	host.NeedLong(t, host.Current)
	r := newRunRig(t, host.Current)
	r.configure("[runs]\nmode = \"acceptEdits\"")
	r.must("task", "new", "Say hello", "--start", "-m", play(
		model.Bash("echo hello > artifacts/hello.txt"),
		model.Bash("echo mine > AGENTS.md"),
		model.Bash("sed -i 's/IN PROGRESS/COMPLETED/' state.md"),
		model.Say("all is made"),
	))
	if end := r.becameRun("say-hello", "idle"); end.Result != "all is made" || end.Turns != 1 {
		t.Errorf("at the end: %+v\n%s", end, r.must("run", "log", "say-hello"))
	}
	if shown := r.must("task", "show", "say-hello"); !strings.Contains(shown, "done") {
		t.Errorf("the task is\n%s", shown)
	}
	for name, want := range map[string]string{"artifacts/hello.txt": "hello\n", "AGENTS.md": "# Task: Say hello\n"} {
		raw, err := os.ReadFile(filepath.Join(r.home, "workspace", "tasks", "say-hello", filepath.FromSlash(name)))
		if err != nil || !strings.HasPrefix(string(raw), want) {
			t.Errorf("%s begins %.40q, %v", name, raw, err)
		}
	}
	if turns := r.model.Turns(); len(turns) == 0 || !turns[0].Has("Afar removes that section when the task goes on") {
		t.Error("the agent was not told what is in CLAUDE.md")
	}
}
