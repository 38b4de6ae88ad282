package git_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// scratch holds what the tests share: the home of their git, and the templates.
var scratch string

// TestMain gives every git, ours and the tests', a home that is not the
// person's: with an author, as theirs has one, and without waits for the disk,
// which are for a machine that loses its power.
func TestMain(m *testing.M) {
	if os.Getenv("AFAR_GIT_CHILD") != "" || os.Getenv("AFAR_UNDO_CHILD") != "" { // has its home from the test, and dies
		os.Exit(m.Run())
	}
	var err error
	if scratch, err = os.MkdirTemp("", "gits-"); err == nil {
		err = os.WriteFile(filepath.Join(scratch, ".gitconfig"), []byte("[user]\n\tname = Ada\n\temail = a@x.example\n[init]\n\tdefaultBranch = main\n[core]\n\tfsync = none\n"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("HOME", scratch)
	os.Unsetenv("XDG_CONFIG_HOME")
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// beside lets a test run beside others.
func beside(t *testing.T) {
	t.Helper()
	unraced(t)
	t.Parallel()
}

// unraced leaves a test out of the race detector's run, which is the one with
// -short: it runs git from one goroutine, so there is no race to be seen.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, and git: nothing for the race detector")
	}
}

// run runs git for the test.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@x.example", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@x.example",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// copied is a directory with what many tests begin with: a repository, repo,
// and what belongs to it. It is made once, by dozens of git commands, and then
// copied for each of them.
func copied(t *testing.T, name string, make func(t *testing.T, root string)) (root string) {
	t.Helper()
	from := filepath.Join(scratch, name)
	once, _ := made.LoadOrStore(name, new(sync.Once))
	once.(*sync.Once).Do(func() { make(t, from) })
	root, err := os.MkdirTemp(scratch, "") // it stays until all tests are over: files that go make new ones dear
	if err == nil {
		err = os.CopyFS(root, os.DirFS(from))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range matches(root, "site.json", "repo/.git/config", "repo/.git/worktrees/*/gitdir", "repo/.worktrees/afar/*/.git") {
		readdress(t, name, from, root)
	}
	for _, dir := range matches(root, "repo", "repo/.worktrees/afar/*") { // an index knows its files by more than their text
		run(t, dir, "update-index", "-q", "--refresh")
	}
	return root
}

var made sync.Map // a sync.Once by name

func matches(root string, patterns ...string) (all []string) {
	for _, p := range patterns {
		names, _ := filepath.Glob(filepath.Join(root, p))
		all = append(all, names...)
	}
	return all
}

// readdress mends the absolute paths in a file.
func readdress(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(strings.ReplaceAll(string(text), from+"/", to+"/")), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// empty is a repository without a commit.
func empty(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "init", "-q", "-b", "main")
	return dir
}

// committed is a repository with one commit of two files.
func committed(t *testing.T) string {
	t.Helper()
	return filepath.Join(copied(t, "committed", makeCommitted), "repo")
}

func makeCommitted(t *testing.T, root string) {
	dir := filepath.Join(root, "repo")
	run(t, scratch, "init", "-q", "-b", "main", dir)
	for _, name := range matches(dir, ".git/hooks/*.sample") {
		_ = os.Remove(name)
	}
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "b.txt", "one\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-q", "-m", "first")
}

// cloned is a repository with a commit and a bare remote that has it.
func cloned(t *testing.T) (dir, bare string) {
	t.Helper()
	root := copied(t, "cloned", makeCloned)
	return filepath.Join(root, "repo"), filepath.Join(root, "bare.git")
}

func makeCloned(t *testing.T, root string) {
	makeCommitted(t, root)
	dir, bare := filepath.Join(root, "repo"), filepath.Join(root, "bare.git")
	run(t, dir, "clone", "-q", "--bare", dir, bare)
	run(t, dir, "remote", "add", "origin", bare)
	run(t, dir, "fetch", "-q", "origin")
	run(t, dir, "branch", "-q", "--set-upstream-to=origin/main", "main")
}

// lived is a repository with two commits, a branch and a tag.
func lived(t *testing.T) string {
	t.Helper()
	return run(t, filepath.Join(copied(t, "lived", makeLived), "repo"), "rev-parse", "--show-toplevel")
}

func makeLived(t *testing.T, root string) {
	makeCommitted(t, root)
	dir := filepath.Join(root, "repo")
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "commit", "-q", "-am", "modes")
	run(t, dir, "checkout", "-q", "-b", "other")
	run(t, dir, "commit", "-q", "--allow-empty", "-m", "on other")
	run(t, dir, "checkout", "-q", "main")
	run(t, dir, "tag", "v1")
}

// A site is a person's repository beside an issue that is ready to land.
type site struct {
	dir, bare string
	w         git.Worktree
	commit    string
}

// ready is an issue that changes a tracked file, adds some and deletes one.
func ready(t *testing.T) site {
	t.Helper()
	root := copied(t, "ready", makeReady)
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
	makeCloned(t, root)
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
