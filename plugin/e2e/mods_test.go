//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealSwitchOff: in the mode that does not ask, a session tries to load the skill that
// writes mods, to write a mod where the host loads it, and to switch all hooks off in the
// settings of its project. The guard refuses each and says why.
func TestRealSwitchOff(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version))
			mod := filepath.Join(r.lab.Home, ".claude", "dev-mods", "s", "evil", "register.ts")
			settings := filepath.Join(r.lab.Project, ".claude", "settings.local.json")
			script := []model.Turn{
				model.Call("Write", map[string]any{"file_path": mod, "content": "export const register = () => {}"}),
				model.Bash("mkdir -p " + filepath.Dir(mod) + " && echo x > " + mod),
				model.Call("Write", map[string]any{"file_path": settings, "content": `{"disableAllHooks": true}`}),
				model.Bash(`mkdir -p .claude && echo '{"disableAllHooks":true}' > .claude/settings.local.json`),
			}
			if version == host.Current { // the oldest client has no such skill
				script = append(script, model.Call("Skill", map[string]any{"skill": "plugin-authoring"}))
			}
			r.print(play(append(script, model.Say("fin"))...), bypass...)
			turns := r.model.Turns()
			told := strings.Join(turns[len(turns)-1].ToolResults(), "\n") // those of the whole session
			for _, path := range []string{mod, settings} {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("%s was written; the model was told %q", path, told)
				}
			}
			if n := strings.Count(told, "let the person load it") +
				strings.Count(told, "let the person edit the settings"); n != len(script) {
				t.Errorf("%d of %d calls were refused; the model was told %q\n%s", n, len(script), told, r.trail())
			}
			r.journal("guard.denied", "host.mods")
		})
	}
}
