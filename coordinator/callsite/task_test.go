package callsite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// TestTaskFolder: the run of a task may write its folder and nothing else of the workspace,
// also if a symbolic link leads to it.
func TestTaskFolder(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"usual home": {"HOME": t.TempDir()},
		"AFAR_HOME":  {"HOME": t.TempDir(), "AFAR_HOME": t.TempDir()},
	} {
		dirs, err := home.FromEnv(func(name string) string { return env[name] })
		if err != nil {
			t.Fatal(err)
		}
		task := filepath.Join(dirs.Tasks(), "pay")
		other := filepath.Join(dirs.Tasks(), "taxes")
		for _, dir := range []string{task, other, filepath.Join(dirs.Workspace, "triggers")} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		linked := filepath.Join(t.TempDir(), "linked")
		for from, to := range map[string]string{
			filepath.Join(task, "out"):      dirs.Workspace,
			filepath.Join(task, "notes.md"): filepath.Join(task, "CLAUDE.md"),
			filepath.Join(task, "sibling"):  other,
			linked:                          dirs.Tasks(),
		} {
			if err := os.Symlink(to, from); err != nil {
				t.Fatal(err)
			}
		}
		script := "echo x > state.md\necho x > ../../triggers/x.md\n"
		if err := os.WriteFile(filepath.Join(task, "run.sh"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		for command, want := range map[string]guard.Verdict{
			"echo x > state.md":                           guard.None,
			"echo x > " + filepath.Join(task, "state.md"): guard.None,
			"echo x > " + linked + "/pay/state.md":        guard.None,
			"echo x > notes.md":                           guard.Deny,
			"echo x > out/triggers/x.md":                  guard.Deny,
			"echo x > out/tasks/pay/../../memory/x.md":    guard.Deny,
			"echo x > " + linked + "/pay/CLAUDE.md":       guard.Deny,
			"sh run.sh":                                   guard.Deny,
			"echo x > sibling/state.md":                   guard.Ask,
			"echo x > " + linked + "/taxes/state.md":      guard.Ask,
			"echo x > " + dirs.User + "/notes.md":         guard.Ask,
		} {
			for _, project := range []string{task, filepath.Join(linked, "pay")} {
				if command == "sh run.sh" && project != task {
					continue // a script that is reached by a link is not read
				}
				d := guard.Judge(guard.ShellCall(command), Context(dirs, "/opt/afar/bin", project, project))
				if d.Verdict != want {
					t.Errorf("%s, in %s: %s: %q by %s, want %q", name, project, command, d.Verdict, d.Rule, want)
				}
			}
		}
	}
}
