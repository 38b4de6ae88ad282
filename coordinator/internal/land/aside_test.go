package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
)

// TestAside: a log that a program changes by itself does not hold landing up and
// stays as it is; staged, or changed by the branch too, it does.
func TestAside(t *testing.T) {
	beside(t)
	const log = ".tracker/log"
	for _, c := range []struct {
		name string
		set  func(t *testing.T, dir string, w git.Worktree)
		want error // nil: it lands
	}{
		{"modified", func(*testing.T, string, git.Worktree) {}, nil},
		{"staged", func(t *testing.T, dir string, _ git.Worktree) { run(t, dir, "add", log) }, land.ErrBaseDirty},
		{"deleted", func(t *testing.T, dir string, _ git.Worktree) { _ = os.Remove(filepath.Join(dir, log)) }, land.ErrBaseDirty},
		{"another beside it", func(t *testing.T, dir string, _ git.Worktree) { write(t, dir, ".tracker/log2", "mine\n") }, land.ErrBaseDirty},
		{"changed by the branch too", func(t *testing.T, _ string, w git.Worktree) { work(t, w, log, "begin\nbranch\n") }, land.ErrBaseDirty},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := committed(t)
			write(t, dir, log, "begin\n")
			write(t, dir, ".tracker/log2", "begin\n")
			run(t, dir, "add", "-A")
			run(t, dir, "commit", "-q", "-m", "log")
			w := begun(t, dir, "one")
			w.Aside = []string{log}
			write(t, dir, log, "begin\nmine\n")
			c.set(t, dir, w)
			before, tip := run(t, dir, "status", "--porcelain"), rev(t, dir, "main")
			_, err := land.Land(t.Context(), w, head(t, w), false)
			if !errors.Is(err, c.want) {
				t.Errorf("have %v, want %v", err, c.want)
			}
			if after := run(t, dir, "status", "--porcelain"); after != before ||
				(rev(t, dir, "main") == tip) != (err != nil) {
				t.Errorf("%v left %q of %q", err, after, before)
			}
		})
	}
}
