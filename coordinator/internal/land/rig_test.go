package land_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
)

func TestMain(m *testing.M) { gitrepo.Main(m, "AFAR_GIT_CHILD") }

var (
	beside, unraced, run, write = gitrepo.Parallel, gitrepo.Unraced, gitrepo.Run, gitrepo.Write
	committed, cloned           = gitrepo.Committed, gitrepo.Cloned
	standing, files             = gitrepo.Standing, gitrepo.Files
)

// A site is a person's repository beside an issue that is ready to land.
type site struct {
	dir, bare string
	w         git.Worktree
	commit    string
}

// ready is an issue that changes a tracked file, adds some and deletes one.
func ready(t *testing.T) site {
	t.Helper()
	root := gitrepo.Copied(t, "ready", makeReady)
	s := site{dir: filepath.Join(root, "repo"), bare: filepath.Join(root, "bare.git")}
	text, err := os.ReadFile(filepath.Join(root, "site.json"))
	if err == nil {
		err = json.Unmarshal(text, &s.w)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.commit = rev(t, s.w.Path, "HEAD")
	return s
}

func makeReady(t *testing.T, root string) {
	gitrepo.MakeCloned(t, root)
	s := site{dir: filepath.Join(root, "repo")}
	write(t, s.dir, ".gitignore", "*.log\nbuild/\n.env\n")
	run(t, s.dir, "add", "-A")
	run(t, s.dir, "commit", "-q", "-m", "ignore")
	run(t, s.dir, "push", "-q", "origin", "main")
	s.again(t)
	text, err := json.Marshal(s.w)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "site.json", string(text))
}

// again begins the issue.
func (s *site) again(t *testing.T) {
	t.Helper()
	var err error
	if s.w, err = git.AddWorktree(t.Context(), s.dir, "i1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.w.Path, "b.txt")); err != nil {
		t.Fatal(err)
	}
	write(t, s.w.Path, "new.txt", "new\n")
	write(t, s.w.Path, "deep/er/new.txt", "new\n")
	write(t, s.w.Path, ".env", "KEY=theirs\n")
	run(t, s.w.Path, "add", "-f", ".env")
	s.commit = work(t, s.w, "a.txt", "changed\n")
}
