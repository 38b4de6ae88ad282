package git_test

import (
	"os"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
	"github.com/afar-sh/afar/coordinator/wall"
)

// bounds are those of all tests, where the kernel has a wall.
func bounds() (wall.Settings, home.Dirs) {
	return wall.Here(wall.Settings{Mode: wall.On}), home.Dirs{User: "/nobody", Path: os.Getenv("PATH")}
}

func TestMain(m *testing.M) {
	git.Bound(bounds())
	gitrepo.Main(m)
}

var (
	parallel, unraced, run, write = gitrepo.Parallel, gitrepo.Unraced, gitrepo.Run, gitrepo.Write
	empty, committed, cloned      = gitrepo.Empty, gitrepo.Committed, gitrepo.Cloned
	files                         = gitrepo.Files
)

// A step prepares a repository.
type step = func(t *testing.T, dir string)

func inRepo(args ...string) step {
	return func(t *testing.T, dir string) { run(t, dir, args...) }
}

func writeInRepo(name, text string) step {
	return func(t *testing.T, dir string) { write(t, dir, name, text) }
}
