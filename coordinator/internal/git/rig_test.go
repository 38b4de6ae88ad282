package git_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
)

func TestMain(m *testing.M) { gitrepo.Main(m) }

var (
	beside, unraced, run, write = gitrepo.Parallel, gitrepo.Unraced, gitrepo.Run, gitrepo.Write
	empty, committed, cloned    = gitrepo.Empty, gitrepo.Committed, gitrepo.Cloned
	files                       = gitrepo.Files
)
