package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// TestAddWorktree adds a worktree where a crash or a person has left something.
func TestAddWorktree(t *testing.T) {
	parallel(t)
	tree := func(dir string) string { return filepath.Join(dir, ".worktrees/afar/i1") }
	add := func(t *testing.T, dir string, args ...string) {
		run(t, dir, append([]string{"worktree", "add", "-q", "-b", "afar/issue/i1", tree(dir)}, args...)...)
	}
	for _, c := range []struct {
		name  string
		do    step
		want  error  // nil if the worktree is made
		says  string // part of the error
		holds string // a file of the branch
	}{
		{"nothing", func(*testing.T, string) {}, nil, "", ""},
		{"a whole worktree", func(t *testing.T, dir string) { add(t, dir) }, nil, "", ""},
		{"a whole worktree, with work", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, tree(dir), "work.txt", "work")
			run(t, tree(dir), "add", ".")
			run(t, tree(dir), "commit", "-q", "-m", "work")
			write(t, tree(dir), "a.txt", "not committed")
		}, nil, "", "work.txt"},
		{"a branch", inRepo("branch", "-q", "afar/issue/i1"), nil, "", ""},
		{"an older branch", func(t *testing.T, dir string) {
			run(t, dir, "branch", "-q", "afar/issue/i1")
			write(t, dir, "later.txt", "later")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "later")
		}, nil, "", "later.txt"},
		{"a branch with commits", func(t *testing.T, dir string) {
			run(t, dir, "checkout", "-q", "-b", "afar/issue/i1")
			write(t, dir, "work.txt", "work")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "work")
			run(t, dir, "checkout", "-q", "main")
		}, nil, "", "work.txt"},
		{"an empty directory", func(t *testing.T, dir string) { _ = os.MkdirAll(tree(dir), 0o755) }, nil, "", ""},
		{"a worktree whose directory is gone", func(t *testing.T, dir string) {
			add(t, dir)
			_ = os.RemoveAll(tree(dir))
		}, nil, "", ""},
		{"a worktree whose directory is gone and empty", func(t *testing.T, dir string) {
			add(t, dir)
			_ = os.RemoveAll(tree(dir))
			_ = os.MkdirAll(tree(dir), 0o755)
		}, nil, "", ""},
		{"half a worktree: files are missing", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, dir, ".git/worktrees/i1/locked", "initializing")
			write(t, dir, ".git/worktrees/i1/index.lock", "")
			_ = os.Remove(filepath.Join(dir, ".git/worktrees/i1/index"))
			_ = os.Remove(filepath.Join(tree(dir), "b.txt"))
			write(t, tree(dir), "a.txt", "o")
		}, nil, "", ""},
		{"half a worktree: it has no HEAD", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, dir, ".git/worktrees/i1/locked", "initializing")
			_ = os.Remove(filepath.Join(dir, ".git/worktrees/i1/HEAD"))
			_ = os.RemoveAll(tree(dir))
			write(t, tree(dir), ".git", "gitdir: "+dir+"/.git/worktrees/i1\n")
		}, nil, "", ""},
		{"half a worktree: only git knows of it", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, dir, ".git/worktrees/i1/locked", "initializing")
			_ = os.RemoveAll(tree(dir))
		}, nil, "", ""},
		{"half a worktree that was being removed", func(t *testing.T, dir string) {
			add(t, dir)
			for _, name := range []string{"HEAD", "gitdir", "commondir"} {
				_ = os.Remove(filepath.Join(dir, ".git/worktrees/i1", name))
			}
			_ = os.Remove(filepath.Join(tree(dir), "b.txt"))
		}, nil, "", ""},
		{"a worktree that git forgot, with work", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, tree(dir), "work.txt", "work")
			_ = os.Remove(filepath.Join(dir, ".git/worktrees/i1/gitdir"))
		}, nil, "", "work.txt"},
		{"a worktree that git forgot, and somebody wrote there", func(t *testing.T, dir string) {
			add(t, dir)
			_ = os.RemoveAll(filepath.Join(dir, ".git/worktrees/i1"))
			write(t, tree(dir), "a.txt", "mine")
		}, git.ErrInTheWay, "is not a worktree", ""},
		{"a worktree that git forgot, and an ignored file is there", func(t *testing.T, dir string) {
			add(t, dir)
			write(t, dir, ".git/info/exclude", "*.log\n.worktrees\n")
			_ = os.RemoveAll(filepath.Join(dir, ".git/worktrees/i1"))
			write(t, tree(dir), "mine.log", "mine")
		}, git.ErrInTheWay, "is not a worktree", ""},

		{
			"a directory of the person's",
			writeInRepo(".worktrees/afar/i1/mine.txt", "mine"),
			git.ErrInTheWay,
			"is not a worktree",
			"",
		},
		{"a file", writeInRepo(".worktrees/afar/i1", "mine"), git.ErrInTheWay, "is not a directory", ""},
		{"a link to another directory", func(t *testing.T, dir string) {
			_ = os.Symlink(t.TempDir(), filepath.Join(dir, ".worktrees"))
		}, git.ErrInTheWay, "is not a directory", ""},
		{"a repository", func(t *testing.T, dir string) {
			run(t, dir, "clone", "-q", dir, tree(dir))
		}, git.ErrInTheWay, "repository of its own", ""},
		{"a worktree on another branch", func(t *testing.T, dir string) {
			add(t, dir)
			run(t, tree(dir), "checkout", "-q", "-b", "x")
		}, git.ErrInTheWay, "is on x and not on afar/issue/i1", ""},
		{"a worktree on no branch", func(t *testing.T, dir string) {
			add(t, dir)
			run(t, tree(dir), "checkout", "-q", "--detach")
		}, git.ErrInTheWay, "is on no branch", ""},
		{"a worktree that is gone, and locked by the person", func(t *testing.T, dir string) {
			add(t, dir)
			run(t, dir, "worktree", "lock", tree(dir))
			_ = os.RemoveAll(tree(dir))
		}, git.ErrInTheWay, "locked", ""},
		{
			"the branch checked out by the person",
			inRepo("checkout", "-q", "-b", "afar/issue/i1"),
			git.ErrInTheWay,
			"is checked out in",
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, _ := cloned(t)
			gone := filepath.Join(t.TempDir(), "on-a-disk-that-is-not-there")
			run(t, dir, "worktree", "add", "-q", "-b", "theirs", gone)
			if err := os.RemoveAll(gone); err != nil {
				t.Fatal(err)
			}
			c.do(t, dir)
			before := files(t, filepath.Join(dir, ".worktrees"))
			for range 2 {
				w, err := git.AddWorktree(t.Context(), dir, "i1", "")
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Fatalf("have %+v: %v", w, err)
				}
				if err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("have %v, want %q", err, c.says)
				}
				if err == nil {
					checkMade(t, w, c.holds)
				} else if diff := cmp.Diff(before, files(t, filepath.Join(dir, ".worktrees"))); diff != "" {
					t.Error(diff)
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, ".git/info/exclude"))
			if err != nil || strings.Count(string(text), ".worktrees") != 1 {
				t.Errorf("excluded is %q: %v", text, err)
			}
			if !strings.Contains(run(t, dir, "worktree", "list"), gone) {
				t.Error("the person's own worktree was forgotten")
			}
		})
	}
}

// checkMade checks a new worktree.
func checkMade(t *testing.T, w git.Worktree, holds string) {
	t.Helper()
	have := files(t, w.Path)
	if have["b.txt"] != "one\n" || holds != "" && have[holds] == "" {
		t.Errorf("it holds %v", have)
	}
	if run(t, w.Path, "symbolic-ref", "--short", "HEAD") != "afar/issue/i1" ||
		w.BaseCommit != run(t, w.Path, "merge-base", "main", "HEAD") {
		t.Errorf("have %+v", w)
	}
	if locks, _ := filepath.Glob(filepath.Join(w.Repo, ".git/worktrees/i1*/locked")); len(locks) > 0 {
		t.Errorf("it is locked: %q", locks)
	}
}

func TestNames(t *testing.T) {
	parallel(t)
	dir, _ := cloned(t)
	for _, id := range []string{"", "..", "../../etc", "a/../b", "-rf", "--force", "a\nb", "a\x00", "\x7f"} {
		if w, err := git.AddWorktree(t.Context(), dir, id, ""); err == nil {
			t.Errorf("%q became %+v", id, w)
		}
	}
	for _, id := range []string{"fix-login", "bd-a1b2.3", "42", "A_b"} {
		w, err := git.AddWorktree(t.Context(), dir, id, "")
		if err != nil || w.Path != filepath.Join(dir, ".worktrees/afar", id) {
			t.Errorf("%q became %+v: %v", id, w, err)
		}
	}
	for id, want := range map[string]string{
		"#12":                      "12-",
		"gh#12":                    "gh-12-",
		"fix login":                "fix-login-",
		"a/b":                      "a-b-",
		".hidden":                  "hidden-",
		"x.lock":                   "x.lock-",
		"x.":                       "x-",
		"ü":                        "",
		"a@{1}":                    "a-",
		"a~1:^?*[":                 "a-1",
		"\\":                       "",
		strings.Repeat("long", 60): "longlong",
	} {
		w, err := git.AddWorktree(t.Context(), dir, id, "")
		at, name := filepath.Split(w.Path)
		if err != nil || !strings.HasPrefix(name, want) || at != filepath.Join(dir, ".worktrees/afar")+"/" {
			t.Errorf("%q became %+v: %v", id, w, err)
		}
	}
	one, _ := git.AddWorktree(t.Context(), dir, "a b", "")
	two, _ := git.AddWorktree(t.Context(), dir, "a-b", "")
	if one.Path == two.Path {
		t.Errorf("two ids share %s", one.Path)
	}
}

// TestBase checks in which branch issues land.
func TestBase(t *testing.T) {
	parallel(t)
	for name, c := range map[string]struct {
		do   step
		want string
	}{
		"main": {func(*testing.T, string) {}, "main"},
		"configured": {func(t *testing.T, dir string) {
			run(t, dir, "branch", "dev")
			run(t, dir, "config", "afar.baseRef", "dev")
		}, "dev"},
		"configured in full": {func(t *testing.T, dir string) {
			run(t, dir, "branch", "dev")
			run(t, dir, "config", "afar.baseRef", "refs/heads/dev")
		}, "dev"},
		"configured, and not there": {inRepo("config", "afar.baseRef", "dev"), ""},
		"configured, and hostile":   {inRepo("config", "afar.baseRef", "--upload-pack=x"), ""},
		"the remote's":              {func(t *testing.T, dir string) { defaultOf(t, dir, "origin", "dev") }, "dev"},
		"the only remote's": {func(t *testing.T, dir string) {
			run(t, dir, "remote", "rename", "origin", "up")
			defaultOf(t, dir, "up", "dev")
		}, "dev"},
		"the remote's is gone": {func(t *testing.T, dir string) {
			defaultOf(t, dir, "origin", "dev")
			run(t, dir, "update-ref", "-d", "refs/remotes/origin/dev")
			run(t, dir, "branch", "-D", "dev")
		}, "main"},
		"master":              {inRepo("branch", "-m", "main", "master"), "master"},
		"what is checked out": {inRepo("branch", "-m", "main", "trunk/x"), "trunk/x"},
		"nothing is": {func(t *testing.T, dir string) {
			run(t, dir, "checkout", "-q", "--detach")
			run(t, dir, "branch", "-D", "main")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := cloned(t)
			c.do(t, dir)
			have, err := git.BaseRef(t.Context(), dir)
			if have != c.want || (err != nil) != (c.want == "") {
				t.Errorf("have %q: %v", have, err)
			}
		})
	}
}

// defaultOf makes a branch the default of a remote.
func defaultOf(t *testing.T, dir, remote, name string) {
	t.Helper()
	run(t, dir, "branch", name)
	run(t, dir, "push", "-q", remote, name)
	run(t, dir, "symbolic-ref", "refs/remotes/"+remote+"/HEAD", "refs/remotes/"+remote+"/"+name)
}

func TestTop(t *testing.T) {
	parallel(t)
	dir, bare := cloned(t)
	linked := filepath.Join(t.TempDir(), "linked\n")
	run(t, dir, "worktree", "add", "-q", "-b", "linked", linked)
	write(t, linked, "sub/x", "x")
	apart := filepath.Join(t.TempDir(), "apart")
	run(t, dir, "clone", "-q", "--separate-git-dir", apart+".git", dir, apart)
	run(t, apart, "worktree", "add", "-q", apart+"-linked")
	ofBare := filepath.Join(t.TempDir(), "of-bare")
	run(t, bare, "worktree", "add", "-q", ofBare, "main")
	for at, want := range map[string]string{
		dir:                          dir,
		linked:                       dir,
		filepath.Join(linked, "sub"): dir,
		apart:                        apart,
		bare:                         "",
		ofBare:                       "",
		t.TempDir():                  "",
		"":                           "",
		"sub":                        "",
		filepath.Join(dir, ".git"):   "",
	} {
		if have, err := git.Top(t.Context(), at); have != want || (err != nil) != (want == "") {
			t.Errorf("%q: have %q: %v", at, have, err)
		}
	}
}
