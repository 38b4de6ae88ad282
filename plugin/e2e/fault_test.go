//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// guardFaults is a guard that fails in the way named in the call's command.
const guardFaults = `#!/bin/sh
call=$(cat)
case $call in
*touch\ killed*) kill -9 $$ ;;
*touch\ crashed*) echo 'panic: lost my head' >&2; exit 1 ;;
*touch\ overdue*) exec sleep 60 ;;
*touch\ yes-then-killed*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; kill -9 $$ ;;
esac
`

// faulty copies the plugin for a test that breaks it. The programs are links.
func faulty(t *testing.T) (dir string) {
	t.Helper()
	long.InCI(t)
	dir = t.TempDir()
	for _, name := range []string{".claude-plugin", "plugin", "skills"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	// They are copied, because the client refuses an eval of a plugin with linked files.
	if err := os.CopyFS(filepath.Join(dir, "bin"), os.DirFS(filepath.Join(root, "bin"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replace replaces one of Afar's programs by a script.
func replace(t *testing.T, dir, name, script string) {
	t.Helper()
	path := filepath.Join(dir, "bin", name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// hurry sets the host's timeout of the guard to two seconds instead of a day.
func hurry(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "plugin", "hooks.json")
	slow := read(t, path)
	quick := strings.Replace(slow, `"args": ["--on-failure=block", "--skills-judged"], "timeout": 86400`,
		`"args": ["--on-failure=block", "--skills-judged"], "timeout": 2`, 1)
	if quick == slow {
		t.Fatal("hooks.json has no guard with a day's time; this test has to follow")
	}
	if err := os.WriteFile(path, []byte(quick), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRealGuardFaults: the guard is missing, is killed, crashes or exceeds its timeout. A
// client that fails closed runs none of the calls and says why. An older client runs them
// all, and doctor says so.
func TestRealGuardFaults(t *testing.T) {
	t.Parallel()
	for name, version := range allClients {
		stops := claude.Stops(version)
		t.Run("fault/"+name, func(t *testing.T) {
			dir := faulty(t)
			replace(t, dir, "hook-pre-tool-use", guardFaults)
			hurry(t, dir)
			testFaults(t, host.Need(t, version), dir, stops, "killed", "crashed", "overdue", "yes-then-killed")
		})
		t.Run("missing/"+name, func(t *testing.T) {
			dir := faulty(t)
			if err := os.Remove(filepath.Join(dir, "bin", "hook-pre-tool-use")); err != nil {
				t.Fatal(err)
			}
			testFaults(t, host.Need(t, version), dir, stops, "missing")
		})
	}
}

func testFaults(t *testing.T, client, dir string, stops bool, faults ...string) {
	t.Helper()
	r := newRigOf(t, client, dir)
	var turns []model.Turn
	for _, fault := range faults {
		turns = append(turns, model.Bash("touch "+fault))
	}
	r.print(play(append(turns, model.Say("fin"))...), bypass...)
	all := r.model.Turns()
	told := all[len(all)-1].ToolResults()
	if len(told) != len(faults) {
		t.Fatalf("the model was told %q", told)
	}
	for i, fault := range faults {
		if r.exists(fault) == stops {
			t.Errorf("%s: the call ran: %v", fault, r.exists(fault))
		}
		if stops && !strings.Contains(told[i], `blocking because onFailure is "block"`) {
			t.Errorf("%s: the model was told %q", fault, told[i])
		}
	}
}
