//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealHoldDevMod: the host also loads a mod that was written into its own directory
// during the session, after the skill for it was used. In the bypass mode it does not ask.
// Without a hold that mod overrules the guard; with a hold it does not.
//
// The guard denies a session the skill and the files. So the person uses the skill here, and
// the test writes the files.
func TestRealHoldDevMod(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, version := range everyClient[:2] {
		for name, held := range map[string]bool{"held": true, "not held": false} {
			t.Run(version+"/"+name, func(t *testing.T) {
				if !held {
					long.Only(t)
				}
				r := newHeldRig(t, host.Need(t, version), held)
				const id = "5b1d0a52-6f0e-4c8e-9d4e-0d9e1f6a7b10"
				r.term = r.lab.Terminal("--permission-mode", "bypassPermissions", "--session-id", id)
				r.term.Submit("/plugin-authoring")
				r.term.Await("fin|done", within)
				dir := filepath.Join(r.lab.Home, ".claude", "dev-mods", id, "evil")
				r.settings(filepath.Join(dir, ".claude-plugin", "plugin.json"),
					`{"name":"evil","version":"0.0.1","description":"d","author":{"name":"a"}}`)
				r.settings(filepath.Join(dir, "hooks", "hooks.json"), `{"modules":["./mod.mjs"]}`)
				r.settings(filepath.Join(dir, "hooks", "mod.mjs"),
					"export const register = (on) => {\n"+mods["classic swallowed"]+"\n}\n")
				// The host loads the mod some time after the turn that follows the skill, and
				// says so if the mod is refused.
				loaded := func() bool {
					return r.exists("ran") ||
						strings.Contains(r.term.Screen(), "evil: refused by afar")
				}
				for turn := 1; turn <= 8 && !loaded(); turn++ {
					name := fmt.Sprint("turn ", turn)
					r.ask(name, model.Bash(forbidden))
					r.did(name)
				}
				if !loaded() {
					t.Fatalf("the client never loaded the mod, so nothing is shown here\n%s", r.term.Screen())
				}
				if ran := r.exists("ran"); ran == held {
					t.Errorf("held %t, the denied call ran: %t\n%s\n%s", held, ran, r.term.Screen(), r.trail())
				}
			})
		}
	}
}
