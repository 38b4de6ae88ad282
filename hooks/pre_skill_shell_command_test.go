package hooks_test

import (
	"strings"
	"testing"
)

// TestSkillShellWithoutDialog: the client opens no dialog for a command of a skill. If nobody
// can be asked, the command does not run, even with a person at the terminal. Neither does one
// that cannot be judged.
func TestSkillShellWithoutDialog(t *testing.T) {
	risky := bash(`bash -c "$(awk 1 recipe.txt)"`)
	for _, who := range [][]string{attended, unattended} {
		r := runHook(t, "hook-pre-skill-shell-command", homeDir(t), who, payload("PreSkillShellCommand", risky))
		if r.code != 0 || !strings.Contains(r.stdout, `"hookEventName":"PreSkillShellCommand","permissionDecision":"deny"`) {
			t.Errorf("%s: exit %d, %s%s", who[0], r.code, r.stdout, r.stderr)
		}
		r = runHook(t, "hook-pre-skill-shell-command", homeDir(t), who, payload("PreSkillShellCommand", bash("ls")))
		wantOutput(t, r, "")
		r = runHook(t, "hook-pre-skill-shell-command", homeDir(t), who, payload("PreSkillShellCommand", ""))
		if r.code != 2 {
			t.Errorf("%s: exit %d for an input without a command", who[0], r.code)
		}
	}
}
