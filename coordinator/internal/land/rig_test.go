package land_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
	"github.com/afar-sh/afar/coordinator/wall"
)

func TestMain(m *testing.M) {
	if os.Getenv("AFAR_GIT_CHILD") == "" { // behind a wall, the git of TestKilled could not kill its caller
		git.Bound(wall.Here(wall.Settings{Mode: wall.On}), home.Dirs{User: "/nobody", Path: os.Getenv("PATH")})
	}
	gitrepo.Main(m, "AFAR_GIT_CHILD")
}

var (
	parallel, unraced, run, write = gitrepo.Parallel, gitrepo.Unraced, gitrepo.Run, gitrepo.Write
	committed, cloned             = gitrepo.Committed, gitrepo.Cloned
	stateOf, files                = gitrepo.State, gitrepo.Files
)

// A site is a person's repository with an issue that is ready to land.
type site struct {
	dir, bare string
	w         git.Worktree
	commit    string
}

// ready returns a site whose issue changes a tracked file, adds some and deletes one.
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
	s.begin(t)
	text, err := json.Marshal(s.w)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "site.json", string(text))
}

// begin begins the issue.
func (s *site) begin(t *testing.T) {
	t.Helper()
	var err error
	if s.w, err = git.AddWorktree(t.Context(), s.dir, "i1", ""); err != nil {
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

// A step prepares a site.
type step = func(t *testing.T, s *site)

func inRepo(args ...string) step {
	return func(t *testing.T, s *site) { run(t, s.dir, args...) }
}

func inWorktree(args ...string) step {
	return func(t *testing.T, s *site) { run(t, s.w.Path, args...) }
}

func writeInRepo(name, text string) step {
	return func(t *testing.T, s *site) { write(t, s.dir, name, text) }
}

func writeWork(name, text string) step {
	return func(t *testing.T, s *site) { write(t, s.w.Path, name, text) }
}

func commitWork(name, text string) step {
	return func(t *testing.T, s *site) { work(t, s.w, name, text) }
}

func moveRemote(name string) step {
	return func(t *testing.T, s *site) { s.moveRemote(t, name) }
}

func failInRepo(args ...string) step {
	return func(t *testing.T, s *site) { runFailing(t, s.dir, args...) }
}

// ledger keeps the landings in a file of the test's home: a landing goes on after a kill
// in another process.
var ledger = land.Ledger{
	Note: func(commit string) error {
		f, err := os.OpenFile(ledgerFile(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(commit + "\n")
		return errors.Join(err, f.Close())
	},
	Has: func(commit string) (bool, error) {
		text, err := os.ReadFile(ledgerFile())
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return strings.Contains(string(text), commit+"\n"), err
	},
}

func ledgerFile() string { return filepath.Join(os.Getenv("HOME"), "landings") }
