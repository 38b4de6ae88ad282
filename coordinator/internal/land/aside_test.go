package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/land"
)

// TestAside checks that a log that a program changes by itself is no obstacle, and stays
// as it is. It is one if it is staged, or if the branch changes it too.
func TestAside(t *testing.T) {
	parallel(t)
	const log = ".tracker/log"
	for _, c := range []struct {
		name string
		do   step
		want error // nil if the issue lands
	}{
		{"modified", func(*testing.T, *site) {}, nil},
		{"staged", inRepo("add", log), land.ErrBaseDirty},
		{"deleted", func(_ *testing.T, s *site) { _ = os.Remove(filepath.Join(s.dir, log)) }, land.ErrBaseDirty},
		{"another file modified", writeInRepo(".tracker/log2", "mine\n"), land.ErrBaseDirty},
		{"changed by the branch too", commitWork(log, "begin\nbranch\n"), land.ErrBaseDirty},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := committed(t)
			write(t, dir, log, "begin\n")
			write(t, dir, ".tracker/log2", "begin\n")
			run(t, dir, "add", "-A")
			run(t, dir, "commit", "-q", "-m", "log")
			w := beginIssue(t, dir, "one")
			w.Aside = []string{log}
			write(t, dir, log, "begin\nmine\n")
			c.do(t, &site{dir: dir, w: w})
			before, tip := run(t, dir, "status", "--porcelain"), rev(t, dir, "main")
			_, err := ledger.Land(t.Context(), w, head(t, w), false)
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
