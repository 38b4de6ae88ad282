package land_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
)

// persons is all of the repository that landing must not touch: standing, but
// for what is known of the remote.
func (s site) persons(t *testing.T) string {
	t.Helper()
	var keep []string
	for line := range strings.Lines(standing(t, s.dir) + "bare " + rev(t, s.bare, "main") + "\n") {
		if !strings.HasPrefix(line, "refs/remotes/") {
			keep = append(keep, line)
		}
	}
	return strings.Join(keep, "")
}

// moved makes a commit at the remote that nobody here has seen.
func (s site) moved(t *testing.T, name string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	run(t, s.dir, "clone", "-q", s.bare, other)
	write(t, other, name, "by another\n")
	run(t, other, "add", "-A")
	run(t, other, "commit", "-q", "-m", "by another")
	run(t, other, "push", "-q", "origin", "HEAD:main")
}

// unpushed lands the issue without a push, and does more.
func (s *site) unpushed(t *testing.T) {
	t.Helper()
	if _, err := land.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Fatal(err)
	}
	s.commit = work(t, s.w, "more.txt", "more")
}

// fails runs git where it is meant to stop in the middle.
func fails(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("git %v did not stop: %s", args, out)
	}
}

// clashing has main and a branch change the same line.
func (s site) clashing(t *testing.T) {
	t.Helper()
	run(t, s.dir, "branch", "-q", "side")
	write(t, s.dir, "c.txt", "main\n")
	run(t, s.dir, "add", "c.txt")
	run(t, s.dir, "commit", "-q", "-m", "main's c")
	run(t, s.dir, "push", "-q", "origin", "main")
	tree := filepath.Join(t.TempDir(), "side")
	run(t, s.dir, "worktree", "add", "-q", tree, "side")
	write(t, tree, "c.txt", "side\n")
	run(t, tree, "add", "c.txt")
	run(t, tree, "commit", "-q", "-m", "side's c")
	run(t, s.dir, "worktree", "remove", tree)
}

// onMain is clashing, and the issue begins after it.
func onMain(do func(t *testing.T, s *site)) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		t.Helper()
		run(t, s.dir, "worktree", "remove", "--force", s.w.Path)
		run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
		s.clashing(t)
		s.again(t)
		do(t, s)
	}
}

func writes(name, text string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) { write(t, s.dir, name, text) }
}

func TestRefused(t *testing.T) {
	beside(t)
	hook := func(text string) func(*testing.T, *site) {
		return func(t *testing.T, s *site) { write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\n"+text) }
	}
	for _, c := range []struct {
		name string
		do   func(t *testing.T, s *site)
		push bool
		want error
		says string
	}{
		{"a commit on the base", func(t *testing.T, s *site) {
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			run(t, s.dir, "push", "-q")
		}, false, land.ErrDiverged, ""},
		{"a commit at the remote", func(t *testing.T, s *site) { s.moved(t, "r.txt") }, false, land.ErrDiverged, ""},
		{"a commit at the remote, to be pushed", func(t *testing.T, s *site) { s.moved(t, "r.txt") }, true, land.ErrDiverged, ""},
		{"unpushed commits", func(t *testing.T, s *site) {
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, false, land.ErrAhead, "that are not in refs/remotes/origin/main: 1"},

		{"unpushed commits, and the remote moved", func(t *testing.T, s *site) {
			s.moved(t, "r.txt")
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, false, land.ErrAhead, ": 1"},
		{"landed unpushed, then the remote moved, and now to be pushed", func(t *testing.T, s *site) {
			s.unpushed(t)
			s.moved(t, "r.txt")
		}, true, land.ErrAhead, "went apart"},
		{"landed, and unpushed commits over it", func(t *testing.T, s *site) {
			run(t, s.dir, "merge", "-q", s.w.Branch)
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, true, land.ErrAhead, ""},
		{"a base that the remote does not have", func(t *testing.T, s *site) {
			run(t, s.dir, "branch", "-q", "-m", "main", "trunk")
			run(t, s.dir, "config", "afar.baseRef", "trunk")
			run(t, s.dir, "branch", "-q", "--unset-upstream")
			s.w.Base = "trunk"
		}, true, land.ErrPush, "push it once yourself"},

		{"modified", writes("a.txt", "mine\n"), false, land.ErrBaseDirty, `"a.txt"`},
		{"modified as the branch has it", writes("a.txt", "changed\n"), false, land.ErrBaseDirty, `"a.txt"`},
		{"staged", func(t *testing.T, s *site) {
			write(t, s.dir, "mine.txt", "mine")
			run(t, s.dir, "add", "mine.txt")
		}, false, land.ErrBaseDirty, `"mine.txt"`},
		{"to be added", func(t *testing.T, s *site) {
			write(t, s.dir, "mine.txt", "mine")
			run(t, s.dir, "add", "-N", "mine.txt")
		}, false, land.ErrBaseDirty, `"mine.txt"`},
		{"deleted", func(t *testing.T, s *site) { _ = os.Remove(filepath.Join(s.dir, "a.txt")) }, false, land.ErrBaseDirty, `"a.txt"`},
		{"modified, and git was told not to look", func(t *testing.T, s *site) {
			run(t, s.dir, "update-index", "--assume-unchanged", "a.txt")
			write(t, s.dir, "a.txt", "mine\n")
		}, false, git.ErrInTheWay, "a.txt"},
		{"modified, and skipped", func(t *testing.T, s *site) {
			run(t, s.dir, "update-index", "--skip-worktree", "a.txt")
			write(t, s.dir, "a.txt", "mine\n")
		}, false, git.ErrInTheWay, "a.txt"},

		{"untracked in the way", writes("new.txt", "mine"), false, git.ErrInTheWay, `"new.txt"`},
		{"untracked in the way, the same", writes("new.txt", "new\n"), false, git.ErrInTheWay, `"new.txt"`},
		{"ignored in the way", writes(".env", "KEY=mine"), false, git.ErrInTheWay, `".env"`},
		{"a file in the way of a directory", writes("deep", "mine"), false, git.ErrInTheWay, `"deep"`},
		{"a link in the way of a directory", func(t *testing.T, s *site) {
			if err := os.Symlink(t.TempDir(), filepath.Join(s.dir, "deep")); err != nil {
				t.Fatal(err)
			}
		}, false, git.ErrInTheWay, `"deep"`},
		{"a directory in the way of a file", writes("new.txt/mine", "mine"), false, git.ErrInTheWay, "new.txt"},
		{"a directory of ignored files in the way of a file", writes("new.txt/mine.log", "mine"), false, git.ErrInTheWay, "new.txt"},
		{"two names that are one", func(t *testing.T, s *site) {
			s.commit = work(t, s.w, "A.TXT", "x")
			run(t, s.dir, "config", "core.ignoreCase", "true")
		}, false, git.ErrInTheWay, `"A.TXT"`},

		{"in a merge", onMain(func(t *testing.T, s *site) { fails(t, s.dir, "merge", "side") }), false, git.ErrInTheWay, "a merge"},
		{"in a rebase", onMain(func(t *testing.T, s *site) { fails(t, s.dir, "rebase", "side") }), false, git.ErrInTheWay, "a rebase"},
		{"in a rebase, elsewhere", onMain(func(t *testing.T, s *site) {
			run(t, s.dir, "checkout", "-q", "-b", "mine")
			tree := filepath.Join(t.TempDir(), "tree")
			run(t, s.dir, "worktree", "add", "-q", tree, "main")
			fails(t, tree, "rebase", "side")
		}), false, git.ErrInTheWay, "a rebase of main"},
		{"in a cherry-pick", onMain(func(t *testing.T, s *site) { fails(t, s.dir, "cherry-pick", "side") }), false, git.ErrInTheWay, "a cherry-pick"},
		{"in a revert", onMain(func(t *testing.T, s *site) { fails(t, s.dir, "revert", "--no-edit", "side") }), false, git.ErrInTheWay, "a revert"},
		{"in a bisect", func(t *testing.T, s *site) { run(t, s.dir, "bisect", "start", "HEAD", "HEAD~1") }, false, git.ErrInTheWay, "a bisect"},
		{"in another git", writes(".git/index.lock", ""), false, git.ErrInTheWay, "index.lock"},
		{"the ref is locked", writes(".git/refs/heads/main.lock", ""), false, git.ErrInTheWay, "main.lock"},

		{"no remote", func(t *testing.T, s *site) { run(t, s.dir, "remote", "remove", "origin") }, true, land.ErrPush, "no remote"},
		{"the remote is gone", func(t *testing.T, s *site) {
			run(t, s.dir, "remote", "set-url", "origin", filepath.Join(s.dir, "none.git"))
		}, true, land.ErrPush, "none.git"},
		{"the remote refuses", hook("echo not on a Friday >&2; exit 1"), true, land.ErrPush, "not on a Friday"},
		{"the remote moves while it is pushed to", func(t *testing.T, s *site) {
			write(t, s.bare, "hooks/update", "#!/bin/sh\ngit -c user.name=x -c user.email=x update-ref refs/heads/main $(git -c user.name=x -c user.email=x commit-tree -p main -m moved main^{tree}); exit 1")
		}, true, land.ErrDiverged, "origin"},

		{"another commit than reviewed", func(t *testing.T, s *site) { work(t, s.w, "late.txt", "late") }, false, land.ErrChanged, ""},
		{"a name in the place of a commit", func(t *testing.T, s *site) { s.commit = "main" }, false, land.ErrChanged, ""},
		{"untracked in the worktree", func(t *testing.T, s *site) { write(t, s.w.Path, "left", "x") }, false, git.ErrNotClean, `"left"`},
		{"modified in the worktree", func(t *testing.T, s *site) { write(t, s.w.Path, "a.txt", "x") }, false, git.ErrNotClean, `"a.txt"`},
		{"the worktree is on another branch", func(t *testing.T, s *site) { run(t, s.w.Path, "checkout", "-q", "-b", "x") }, false, git.ErrInTheWay, "is on x and not on afar/issue/i1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			c.do(t, &s)
			before, there := s.persons(t), standing(t, s.w.Path)
			l, err := land.Land(t.Context(), s.w, s.commit, c.push)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("have %+v: %v", l, err)
			}
			t.Log(err)
			if diff := cmp.Diff(before, s.persons(t)); diff != "" && !strings.Contains(c.name, "moves while") {
				t.Errorf("the person's repository changed:\n%s", diff)
			}
			if diff := cmp.Diff(drop(there), drop(standing(t, s.w.Path))); diff != "" &&
				!strings.Contains(c.name, "moves while") {
				t.Errorf("the worktree changed:\n%s", diff)
			}
		})
	}
}

// drop takes what is known of remotes out of a standing.
func drop(text string) (out string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "refs/remotes/") {
			out += line
		}
	}
	return out
}
