package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoSnapshot: without a coordinator the person is asked as usual. In a repository the
// question says that there is no snapshot.
func TestNoSnapshot(t *testing.T) {
	repo, bare := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir, command string
		env                []string
		want, not          string
	}{
		{"in a repository", repo, "git clean -fd sub", nil, "no snapshot: Afar's coordinator", ""},
		{"elsewhere", bare, "git clean -fd sub", nil, `"ask"`, "snapshot"},
		{"nothing to lose", repo, "cat ~/.ssh/id_rsa", nil, `"ask"`, "snapshot"},
		{"switched off", repo, "git clean -fd sub", []string{"AFAR_DISABLED=1"}, `"ask"`, "snapshot"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := homeDir(t)
			impostor(t, home, conditions["garbage"])
			in := inDir(c.dir, payload("PreToolUse", bash(c.command)))
			got := runHook(t, "hook-pre-tool-use", home, append(c.env, "CLAUDE_CODE_SESSION_ATTENDED=1"), in)
			wantOutput(t, got, `"permissionDecision":"ask"`)
			wantOutput(t, got, c.want)
			if c.not != "" && strings.Contains(got.stdout, c.not) {
				t.Errorf("it printed %s", got.stdout)
			}
		})
	}
}
