// Package gitrepo makes git repositories for tests. The templates are made once,
// by dozens of git commands, and then copied for each test.
package gitrepo

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// scratch is the directory that the tests share: the home of their git, and the templates.
var scratch string

// Main runs the tests with a separate home for git. That home configures an author, and
// no syncs to the disk. The test process has the birthmark that the coordinator has. If one of the
// variables is set, the process is a child that a test will kill, and it uses the home of that test.
func Main(m *testing.M, childVars ...string) {
	for _, name := range childVars {
		if os.Getenv(name) != "" {
			os.Exit(m.Run())
		}
	}
	err := birthmark.Lower(os.Getpid(), birthmark.Client)
	if err != nil {
		fmt.Fprintln(os.Stderr, "give the tests a birthmark:", err)
		os.Exit(1)
	}
	if scratch, err = os.MkdirTemp("", "gits-"); err == nil {
		config := "[user]\n\tname = Ada\n\temail = a@x.example\n" +
			"[init]\n\tdefaultBranch = main\n[core]\n\tfsync = none\n"
		err = os.WriteFile(filepath.Join(scratch, ".gitconfig"), []byte(config), 0o600)
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

// Scratch returns a directory that exists until all tests are over.
func Scratch() string { return scratch }

// Parallel lets a test run in parallel with others. It skips the test with -short, the run
// with the race detector: the test runs git from one goroutine, so it has no races.
func Parallel(t *testing.T) {
	t.Helper()
	Unraced(t)
	t.Parallel()
}

// Unraced skips a test in the run with the race detector.
func Unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, and git: nothing for the race detector")
	}
}

// Run runs git in dir and returns its output.
func Run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + scratch, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ada",
		"GIT_AUTHOR_EMAIL=a@x.example",
		"GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=a@x.example",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Write writes an executable file.
func Write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

var templates sync.Map // a sync.Once by name

// Copied returns a directory with a copy of a template. A template contains a repository,
// repo, and other files that belong to it.
func Copied(t *testing.T, name string, makeTemplate func(t *testing.T, root string)) (root string) {
	t.Helper()
	from := filepath.Join(scratch, name)
	once, _ := templates.LoadOrStore(name, new(sync.Once))
	once.(*sync.Once).Do(func() { makeTemplate(t, from) })
	root, err := os.MkdirTemp(scratch, "") // removed with all others: removing files makes new ones slow
	if err == nil {
		err = os.CopyFS(root, os.DirFS(from))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range matches(
		root,
		"site.json", "repo/.git/config", "repo/.git/worktrees/*/gitdir", "repo/.worktrees/afar/*/.git",
	) {
		readdress(t, name, from, root)
	}
	// The index has the times and inodes of the files.
	for _, dir := range matches(root, "repo", "repo/.worktrees/afar/*") {
		Run(t, dir, "update-index", "-q", "--refresh")
	}
	return root
}

func matches(root string, patterns ...string) (all []string) {
	for _, p := range patterns {
		names, _ := filepath.Glob(filepath.Join(root, p))
		all = append(all, names...)
	}
	return all
}

// readdress corrects the absolute paths in a file.
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

// Empty returns a repository without a commit.
func Empty(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	Run(t, dir, "init", "-q", "-b", "main")
	return dir
}

// Committed returns a repository with one commit of two files.
func Committed(t *testing.T) string {
	t.Helper()
	return filepath.Join(Copied(t, "committed", makeCommitted), "repo")
}

func makeCommitted(t *testing.T, root string) {
	dir := filepath.Join(root, "repo")
	Run(t, scratch, "init", "-q", "-b", "main", dir)
	for _, name := range matches(dir, ".git/hooks/*.sample") {
		_ = os.Remove(name)
	}
	Write(t, dir, "a.txt", "one\n")
	Write(t, dir, "b.txt", "one\n")
	Run(t, dir, "add", ".")
	Run(t, dir, "commit", "-q", "-m", "first")
}

// Cloned returns a repository with a commit, and a bare remote with the same commit.
func Cloned(t *testing.T) (dir, bare string) {
	t.Helper()
	root := Copied(t, "cloned", MakeCloned)
	return filepath.Join(root, "repo"), filepath.Join(root, "bare.git")
}

// MakeCloned makes the template of Cloned.
func MakeCloned(t *testing.T, root string) {
	makeCommitted(t, root)
	dir, bare := filepath.Join(root, "repo"), filepath.Join(root, "bare.git")
	Run(t, dir, "clone", "-q", "--bare", dir, bare)
	Run(t, dir, "remote", "add", "origin", bare)
	Run(t, dir, "fetch", "-q", "origin")
	Run(t, dir, "branch", "-q", "--set-upstream-to=origin/main", "main")
}

// Branched returns a repository with two commits, a branch and a tag.
func Branched(t *testing.T) string {
	t.Helper()
	return Run(t, filepath.Join(Copied(t, "branched", makeBranched), "repo"), "rev-parse", "--show-toplevel")
}

func makeBranched(t *testing.T, root string) {
	makeCommitted(t, root)
	dir := filepath.Join(root, "repo")
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	Run(t, dir, "commit", "-q", "-am", "modes")
	Run(t, dir, "checkout", "-q", "-b", "other")
	Run(t, dir, "commit", "-q", "--allow-empty", "-m", "on other")
	Run(t, dir, "checkout", "-q", "main")
	Run(t, dir, "tag", "v1")
}

// State returns everything that a person could lose in a repository: files with their
// permissions, the index, refs, HEAD and stashes.
func State(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir() || rel == ".git":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, _ := os.Readlink(name)
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		fmt.Fprintf(&b, "%s %q %q\n", info.Mode(), rel, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"ls-files", "-s", "-t"},
		{"for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/remotes"},
	} {
		fmt.Fprintf(&b, "%v:\n%s\n", args[0], Run(t, dir, args...))
	}
	own, common := gitDirs(dir)
	stashes, _ := os.ReadFile(filepath.Join(common, "logs/refs/stash")) // no file is no stash
	b.WriteString("stash:\n")
	for line := range strings.Lines(string(stashes)) { // old commit, commit, who, when, tab, title
		who, title, _ := strings.Cut(line, "\t")
		fmt.Fprintf(&b, "%s %s", strings.Fields(who)[1], title)
	}
	raw, err := os.ReadFile(filepath.Join(own, "HEAD"))
	fmt.Fprintf(&b, "HEAD %s %v\n", raw, err)
	return b.String()
}

// gitDirs returns the git directory of one checkout, and the one that all checkouts share.
func gitDirs(dir string) (own, common string) {
	own = filepath.Join(dir, ".git")
	text, err := os.ReadFile(own)
	if err != nil { // it is the directory
		return own, own
	}
	own = strings.TrimSuffix(strings.TrimPrefix(string(text), "gitdir: "), "\n")
	if !filepath.IsAbs(own) {
		own = filepath.Join(dir, own)
	}
	text, err = os.ReadFile(filepath.Join(own, "commondir"))
	if err != nil { // of a submodule
		return own, own
	}
	return own, filepath.Join(own, strings.TrimSuffix(string(text), "\n"))
}

// Files returns the files of a checkout with their text.
func Files(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == ".worktrees") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			text, _ := os.ReadFile(name)
			rel, _ := filepath.Rel(dir, name)
			list[rel] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
