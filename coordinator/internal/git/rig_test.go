package git_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
)

func TestMain(m *testing.M) { gitrepo.Main(m) }

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
