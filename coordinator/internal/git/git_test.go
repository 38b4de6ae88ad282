package git_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
)

func tree(t *testing.T, dir string) string { t.Helper(); return git.Tree(t.Context(), dir) }

func TestTree(t *testing.T) {
	parallel(t)
	steps := []struct {
		name string
		do   step
	}{
		{"clean", func(*testing.T, string) {}},
		{"changed", writeInRepo("a.txt", "two\n")},
		{"changed again, as long", writeInRepo("a.txt", "six\n")},
		{"staged", inRepo("add", "a.txt")},
		{"untracked", writeInRepo("new dir/ü\n.txt", "x")},
		{"untracked, and changed", writeInRepo("new dir/ü\n.txt", "y")},
		{
			"untracked and large",
			writeInRepo("large", strings.Repeat("x", 100_000)),
		},
		{
			"untracked and large, and longer",
			writeInRepo("large", strings.Repeat("x", 100_001)),
		},
		{
			"to be ignored",
			writeInRepo(".gitignore", "*.log\nout/\nnode_modules/\nheap/\n"),
		},
		{"ignored", writeInRepo("x.log", "x")},
		{"ignored, and changed", writeInRepo("x.log", "y")},
		{"ignored, in a directory", writeInRepo("out/deep/x", "x")},
		{"ignored, in a directory, and changed", writeInRepo("out/deep/x", "y")},
		{
			"ignored and made executable",
			func(t *testing.T, dir string) { _ = os.Chmod(filepath.Join(dir, "out/deep/x"), 0o644) },
		},
		{"a link", func(t *testing.T, dir string) { _ = os.Symlink("one", filepath.Join(dir, "out/link")) }},
		{"a link that leads elsewhere", func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "out/link"))
			_ = os.Symlink("two", filepath.Join(dir, "out/link"))
		}},
		{"removed", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "b.txt")) }},
		{"committed", inRepo("commit", "-q", "-am", "second")},
		{"another branch", inRepo("checkout", "-q", "-b", "other")},
		{
			"an empty commit",
			inRepo("commit", "-q", "--allow-empty", "-m", "third"),
		},
	}
	for name, start := range map[string]func(*testing.T) string{
		"with a commit": committed,
		"in a folder":   committedFolder,
		"in a worktree": worktree,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := start(t)
			root := run(t, dir, "rev-parse", "--show-toplevel")
			seen := map[string]string{}
			for _, step := range steps {
				step.do(t, root)
				digest := tree(t, dir)
				if other, ok := seen[digest]; ok || len(digest) != 64 {
					t.Errorf("%s looks like %q: %q", step.name, other, digest)
				}
				seen[digest] = step.name
				if again := tree(t, dir); again != digest {
					t.Errorf("%s: the digest differs without a change", step.name)
				}
			}
		})
	}
}

// committedFolder returns a folder in a repository with a commit.
func committedFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(committed(t), "sub")
	write(t, dir, "c.txt", "x")
	return dir
}

func worktree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "w")
	run(t, committed(t), "worktree", "add", "-q", dir)
	return dir
}

func TestTreeWithoutCommit(t *testing.T) {
	parallel(t)
	dir := empty(t)
	first := tree(t, dir)
	write(t, dir, "a", "x")
	second := tree(t, dir)
	run(t, dir, "add", "a")
	third := tree(t, dir)
	if len(first) != 64 || first == second || second == third {
		t.Errorf("have %q, %q, %q", first, second, third)
	}
}

// TestTreeOutside takes digests of a directory outside a repository.
func TestTreeOutside(t *testing.T) {
	parallel(t)
	dir := t.TempDir()
	seen := map[string]string{}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"empty", func() {}},
		{"a file", func() { write(t, dir, "a", "x") }},
		{"changed", func() { write(t, dir, "a", "y") }},
		{"below", func() { write(t, dir, "deep/er/b", "x") }},
		{"below, and changed", func() { write(t, dir, "deep/er/b", "y") }},
		{"hidden", func() { write(t, dir, ".env", "x") }},
		{"large", func() { write(t, dir, "large", strings.Repeat("x", 100_000)) }},
		{"large, and longer", func() { write(t, dir, "large", strings.Repeat("x", 100_001)) }},
		{"removed", func() { os.Remove(filepath.Join(dir, "a")) }},
	} {
		step.do()
		digest := tree(t, dir)
		if other, ok := seen[digest]; ok || len(digest) != 64 {
			t.Errorf("%s looks like %q: %q", step.name, other, digest)
		}
		seen[digest] = step.name
		if tree(t, dir) != digest {
			t.Errorf("%s: the digest differs without a change", step.name)
		}
	}
}

// TestTreeBounds checks that a digest leaves out large files, directories of tools, and
// other repositories.
func TestTreeBounds(t *testing.T) {
	unraced(t)
	many := func(dir, name string, n int) {
		for i := range n {
			write(t, dir, fmt.Sprintf("%s/%d/%d", name, i%7, i), "x")
		}
	}
	inside, outside := committed(t), t.TempDir()
	write(t, inside, ".gitignore", "*.log\nout/\nnode_modules/\nheap/\nrepo/\n.worktrees\n")
	run(t, inside, "init", "-q", "repo")
	many(inside, "heap", 600)
	for _, dir := range []string{inside, outside} {
		write(t, dir, "node_modules/a/b.js", "x")
		write(t, dir, "out/node_modules/a/b.js", "x")
	}
	for _, c := range []struct{ dir, name, text string }{
		{inside, "node_modules/a/b.js", "y"},
		{inside, "out/node_modules/a/b.js", "y"},
		{inside, "heap/3/3", "y"},
		{inside, "heap/3/new", "y"},
		{inside, "repo/x", "y"},
		{inside, ".worktrees/afar/i1/x", "y"},
		{inside, "out/large.log", ""},
		{outside, "node_modules/a/b.js", "y"},
		{outside, ".cache/x", "y"},
	} {
		if c.text == "" {
			c.text = strings.Repeat("y", 100_000)
			write(t, c.dir, c.name, strings.Repeat("x", 100_000))
		}
		if !strings.Contains(c.name, "/new") {
			_ = os.MkdirAll(filepath.Join(c.dir, ".worktrees"), 0o755)
		}
		before := tree(t, c.dir)
		write(t, c.dir, c.name, c.text)
		if tree(t, c.dir) != before {
			t.Errorf("%s counts", c.name)
		}
	}
	t.Setenv("HOME", outside)
	before := tree(t, outside)
	if write(t, outside, ".bash_history", "ls"); tree(t, outside) != before {
		t.Error("a hidden file of a home counts")
	}
}

// TestTreeTime checks that the digest of many files takes no longer than a hook has.
func TestTreeTime(t *testing.T) {
	parallel(t)
	dir := t.TempDir()
	for i := range 3000 {
		write(t, dir, fmt.Sprintf("d%d/e%d/f%d", i%30, i%300, i), strings.Repeat("x", 3000))
	}
	for _, do := range []func(){
		func() {},
		func() { run(t, dir, "init", "-q") },
		func() { write(t, dir, ".gitignore", "d*\n") },
	} {
		do()
		start := time.Now()
		if digest := tree(t, dir); len(digest) != 64 || time.Since(start) > 20*time.Second {
			t.Errorf("%q after %s", digest, time.Since(start))
		}
		t.Log(time.Since(start))
	}
}

func TestNoRepository(t *testing.T) {
	parallel(t)
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none"), "\x00"} {
		if got := tree(t, dir); got != "" && !strings.HasPrefix(dir, "/") {
			t.Errorf("%q: %q", dir, got)
		}
		if commits, changed := git.Recent(t.Context(), dir); commits != nil || changed != nil {
			t.Errorf("%q: %v, %v", dir, commits, changed)
		}
	}
	if got := tree(t, filepath.Join(t.TempDir(), "none")); got != "" {
		t.Errorf("a directory that is not there: %q", got)
	}
}

func TestLate(t *testing.T) {
	parallel(t)
	dir := committed(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := git.Tree(ctx, dir); got != "" {
		t.Errorf("a digest after the end of the context: %q", got)
	}
	if commits, changed := git.Recent(ctx, dir); commits != nil || changed != nil {
		t.Errorf("have %v, %v", commits, changed)
	}
}

// TestSlow checks that Tree gives up on a git that hangs, and returns no part of a digest.
func TestSlow(t *testing.T) {
	unraced(t)
	dir := committed(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	write(t, bin, "git", "#!/bin/sh\nfor a; do [ \"$a\" = diff ] && exec sleep 60; done\nexec "+real+" \"$@\"\n")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	before := time.Now()
	if got := git.Tree(ctx, dir); got != "" || time.Since(before) > 20*time.Second {
		t.Errorf("have %q after %s", got, time.Since(before))
	}
}

func TestRecent(t *testing.T) {
	parallel(t)
	dir := committed(t)
	for _, m := range []string{"second", "third ü", "fourth"} {
		run(t, dir, "commit", "-q", "--allow-empty", "-m", m+"\n\nbody")
	}
	run(t, dir, "mv", "b.txt", "moved to.txt")
	write(t, dir, "a.txt", "two\n")
	write(t, dir, "new ü.txt", "x")
	commits, changed := git.Recent(t.Context(), dir)
	var subjects []string
	for _, c := range commits {
		hash, subject, _ := strings.Cut(c, " ")
		if len(hash) < 7 {
			t.Errorf("have %q", c)
		}
		subjects = append(subjects, subject)
	}
	if diff := cmp.Diff([]string{"fourth", "third ü", "second"}, subjects); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a.txt", "moved to.txt", "new ü.txt"}, changed); diff != "" {
		t.Error(diff)
	}
	commits, changed = git.Recent(t.Context(), empty(t))
	if commits != nil || changed != nil {
		t.Errorf("a new repository: %v, %v", commits, changed)
	}
}

// TestHostile checks that looking at a repository runs no program that the
// repository names.
func TestHostile(t *testing.T) {
	parallel(t)
	gitrepo.EachHostile(t, func(t *testing.T, dir string) {
		if len(tree(t, dir)) != 64 {
			t.Error("no answer")
		}
		if commits, changed := git.Recent(t.Context(), dir); len(commits) != 1 || len(changed) == 0 {
			t.Errorf("have %v, %v", commits, changed)
		}
	})
}

// TestEnvironment checks that variables of the person's session do not change the digest.
func TestEnvironment(t *testing.T) {
	unraced(t)
	dir, other := committed(t), committed(t)
	write(t, other, "c.txt", "x")
	before := tree(t, dir)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_EXTERNAL_DIFF", "/no/such/program")
	if after := tree(t, dir); after != before {
		t.Error("the environment moved git elsewhere")
	}
}
