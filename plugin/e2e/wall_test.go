//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wall"
)

// TestRealWall: a turn of the client works in its project and cannot write outside. The agent is told so, also after a
// call that was stopped, its hooks work, nobody is asked about code that cannot be seen, and the run says that the wall
// stood and what it stopped.
func TestRealWall(t *testing.T) {
	if why := wall.Missing(); why != "" {
		t.Skip(why) // older kernels have none
	}
	r := newRunRig(t, host.Current, "Bash")
	write(t, r.lab.Project, "out.sh", "echo out > ../outside\n")
	write(t, r.lab.Project, "recipe.txt", "echo unseen >> made\n")
	r.startRun("walled", play(model.Bash("echo made >> made"), model.Bash("sh out.sh"),
		model.Bash(`bash -c "$(awk 1 recipe.txt)"`), model.Say("all is made")))
	got := r.becameRun("walled", "idle")
	if got.Result != "all is made" || r.lines("made") != 2 || r.exists("../outside") {
		t.Errorf("it said %q and made %d lines, outside is there: %t\n%s", got.Result, r.lines("made"),
			r.exists("../outside"), r.must("run", "log", "walled", "--json"))
	}
	if got.Wall != wall.On || got.WallStops != 1 || got.Stands == nil || got.Stands.Mode != wall.On ||
		got.Stands.Write[0].Path != filepath.Clean(got.Dir) {
		t.Errorf("its wall: %q, %d stops, %+v\n%s", got.Wall, got.WallStops, got.Stands, r.must("run", "log", "walled"))
	}
	if shown := r.must("run", "show", "walled"); !strings.Contains(shown, "it stood, on") {
		t.Errorf("run show prints %s", shown)
	}
	turns := r.model.Turns()
	if !turns[0].Has("behind a wall of the kernel") {
		t.Errorf("the agent is not told: %q", turns[0].Texts())
	}
	if last := turns[len(turns)-1]; !last.Has("the wall of this turn stopped it") {
		t.Errorf("the agent is not told what stopped a call: %q", last.Texts())
	}
	r.journal("guard.spoke", "behind its wall, snapshot")
}

// TestRealSandboxOpens: the guard does not rely on the client's own sandbox, because settings of a project open it. Hooks
// are told nothing of it. If this fails, docs/security.md has to be looked at again.
func TestRealSandboxOpens(t *testing.T) {
	long.Only(t)
	client := host.Need(t, host.Current)
	for _, needs := range []string{"bwrap", "socat"} {
		if _, err := exec.LookPath(needs); err != nil {
			t.Skip(err)
		}
	}
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	for project, wants := range map[string]bool{
		`{}`:                            false,
		`{"sandbox":{"enabled":false}}`: true,
		`{"sandbox":{"filesystem":{"allowWrite":["~/"]}}}`: true,
		`{"permissions":{"allow":["Edit(~/**)"]}}`:         true,
		`{"sandbox":{"excludedCommands":["echo *"]}}`:      false,
	} {
		t.Run(project, func(t *testing.T) {
			hook := "cat >> \"$HOME/.claude/told\""
			lab := host.NewLab(t, client, m.URL(), host.Opts{Settings: map[string]any{
				"sandbox": map[string]any{"enabled": true, "failIfUnavailable": true, "allowUnsandboxedCommands": false},
				"hooks": map[string]any{"PreToolUse": []any{map[string]any{
					"hooks": []any{map[string]any{"type": "command", "command": hook}},
				}}},
			}})
			write(t, lab.Project, ".claude/settings.json", project)
			_, err := lab.Print(t.Context(), play(model.Bash("echo x > ~/opened"), model.Say("fin")),
				"--permission-mode", "bypassPermissions")
			if err != nil {
				t.Fatal(err)
			}
			_, err = os.Stat(filepath.Join(lab.Home, "opened"))
			if is := err == nil; is != wants {
				t.Errorf("the home is open: %t, want %t", is, wants)
			}
			told, err := os.ReadFile(filepath.Join(lab.Home, ".claude", "told"))
			if err != nil || strings.Contains(strings.ToLower(string(told)), "sandbox") {
				t.Errorf("a hook is told of the sandbox (%v): %s", err, told)
			}
		})
	}
}
