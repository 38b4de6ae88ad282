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

// ownState returns the state of the repository that a refused landing must not change:
// everything except the refs of the remote.
func (s site) ownState(t *testing.T) string {
	t.Helper()
	return withoutRemotes(stateOf(t, s.dir) + "bare " + rev(t, s.bare, "main") + "\n")
}

// moveRemote makes a commit at the remote that this repository has not fetched.
func (s site) moveRemote(t *testing.T, name string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	run(t, s.dir, "clone", "-q", s.bare, other)
	write(t, other, name, "by another\n")
	run(t, other, "add", "-A")
	run(t, other, "commit", "-q", "-m", "by another")
	run(t, other, "push", "-q", "origin", "HEAD:main")
}

// landUnpushed lands the issue without a push, and commits more work.
func (s *site) landUnpushed(t *testing.T) {
	t.Helper()
	if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Fatal(err)
	}
	s.commit = work(t, s.w, "more.txt", "more")
}

// runFailing runs git and checks that it fails, as it does at a conflict.
func runFailing(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("git %v did not stop: %s", args, out)
	}
}

// makeConflict makes a branch side that changes the same line as main.
func (s site) makeConflict(t *testing.T) {
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

// afterConflict returns a step that makes a conflict, begins the issue after it, and
// does the given step.
func afterConflict(do step) step {
	return func(t *testing.T, s *site) {
		t.Helper()
		run(t, s.dir, "worktree", "remove", "--force", s.w.Path)
		run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
		s.makeConflict(t)
		s.begin(t)
		do(t, s)
	}
}

func TestRefused(t *testing.T) {
	parallel(t)
	hook := func(text string) step {
		return func(t *testing.T, s *site) { write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\n"+text) }
	}
	for _, c := range []struct {
		name string
		do   step
		push bool
		want error
		says string
	}{
		{"a commit on the base", func(t *testing.T, s *site) {
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			run(t, s.dir, "push", "-q")
		}, false, land.ErrDiverged, ""},
		{"a commit at the remote", moveRemote("r.txt"), false, land.ErrDiverged, ""},
		{"a commit at the remote, with push", moveRemote("r.txt"), true, land.ErrDiverged, ""},
		{"unpushed commits", func(t *testing.T, s *site) {
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, false, land.ErrAhead, "that are not in refs/remotes/origin/main: 1"},

		{"unpushed commits, and the remote moved", func(t *testing.T, s *site) {
			s.moveRemote(t, "r.txt")
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, false, land.ErrAhead, ": 1"},
		{"landed unpushed, then the remote moved, with push", func(t *testing.T, s *site) {
			s.landUnpushed(t)
			s.moveRemote(t, "r.txt")
		}, true, land.ErrAhead, "have diverged"},
		{"landed, and unpushed commits over it", func(t *testing.T, s *site) {
			run(t, s.dir, "merge", "-q", s.w.Branch)
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, true, land.ErrAhead, ""},
		{"a base that the remote lacks", func(t *testing.T, s *site) {
			run(t, s.dir, "branch", "-q", "-m", "main", "trunk")
			run(t, s.dir, "config", "afar.baseRef", "trunk")
			run(t, s.dir, "branch", "-q", "--unset-upstream")
			s.w.Base = "trunk"
		}, true, land.ErrPush, "push it once yourself"},

		{"modified", writeInRepo("a.txt", "mine\n"), false, land.ErrBaseDirty, `"a.txt"`},
		{"modified as the branch has it", writeInRepo("a.txt", "changed\n"), false, land.ErrBaseDirty, `"a.txt"`},
		{"staged", func(t *testing.T, s *site) {
			write(t, s.dir, "mine.txt", "mine")
			run(t, s.dir, "add", "mine.txt")
		}, false, land.ErrBaseDirty, `"mine.txt"`},
		{"to be added", func(t *testing.T, s *site) {
			write(t, s.dir, "mine.txt", "mine")
			run(t, s.dir, "add", "-N", "mine.txt")
		}, false, land.ErrBaseDirty, `"mine.txt"`},
		{"deleted", func(t *testing.T, s *site) {
			_ = os.Remove(filepath.Join(s.dir, "a.txt"))
		}, false, land.ErrBaseDirty, `"a.txt"`},
		{"modified, and assumed unchanged", func(t *testing.T, s *site) {
			run(t, s.dir, "update-index", "--assume-unchanged", "a.txt")
			write(t, s.dir, "a.txt", "mine\n")
		}, false, git.ErrInTheWay, "a.txt"},
		{"modified, and skipped", func(t *testing.T, s *site) {
			run(t, s.dir, "update-index", "--skip-worktree", "a.txt")
			write(t, s.dir, "a.txt", "mine\n")
		}, false, git.ErrInTheWay, "a.txt"},

		{"untracked in the way", writeInRepo("new.txt", "mine"), false, git.ErrInTheWay, `"new.txt"`},
		{"untracked in the way, same text", writeInRepo("new.txt", "new\n"), false, git.ErrInTheWay, `"new.txt"`},
		{"ignored in the way", writeInRepo(".env", "KEY=mine"), false, git.ErrInTheWay, `".env"`},
		{"a file in the way of a directory", writeInRepo("deep", "mine"), false, git.ErrInTheWay, `"deep"`},
		{"a link in the way of a directory", func(t *testing.T, s *site) {
			if err := os.Symlink(t.TempDir(), filepath.Join(s.dir, "deep")); err != nil {
				t.Fatal(err)
			}
		}, false, git.ErrInTheWay, `"deep"`},
		{"a directory in the way of a file", writeInRepo("new.txt/mine", "mine"), false, git.ErrInTheWay, "new.txt"},
		{"ignored in the way of a file", writeInRepo("new.txt/mine.log", "mine"), false, git.ErrInTheWay, "new.txt"},
		{"two names that differ by case", func(t *testing.T, s *site) {
			s.commit = work(t, s.w, "A.TXT", "x")
			run(t, s.dir, "config", "core.ignoreCase", "true")
		}, false, git.ErrInTheWay, `"A.TXT"`},

		{"in a merge", afterConflict(failInRepo("merge", "side")), false, git.ErrInTheWay, "a merge"},
		{"in a rebase", afterConflict(failInRepo("rebase", "side")), false, git.ErrInTheWay, "a rebase"},
		{"in a rebase, elsewhere", afterConflict(func(t *testing.T, s *site) {
			run(t, s.dir, "checkout", "-q", "-b", "mine")
			tree := filepath.Join(t.TempDir(), "tree")
			run(t, s.dir, "worktree", "add", "-q", tree, "main")
			runFailing(t, tree, "rebase", "side")
		}), false, git.ErrInTheWay, "a rebase of main"},
		{"in a cherry-pick", afterConflict(failInRepo("cherry-pick", "side")), false, git.ErrInTheWay, "a cherry-pick"},
		{"in a revert", afterConflict(failInRepo("revert", "--no-edit", "side")), false, git.ErrInTheWay, "a revert"},
		{"in a bisect", inRepo("bisect", "start", "HEAD", "HEAD~1"), false, git.ErrInTheWay, "a bisect"},
		{"while another git runs", writeInRepo(".git/index.lock", ""), false, git.ErrInTheWay, "index.lock"},
		{"the ref is locked", writeInRepo(".git/refs/heads/main.lock", ""), false, git.ErrInTheWay, "main.lock"},

		{"no remote", inRepo("remote", "remove", "origin"), true, land.ErrPush, "no remote"},
		{"the remote is gone", func(t *testing.T, s *site) {
			run(t, s.dir, "remote", "set-url", "origin", filepath.Join(s.dir, "none.git"))
		}, true, land.ErrPush, "none.git"},
		{"the remote refuses", hook("echo not on a Friday >&2; exit 1"), true, land.ErrPush, "not on a Friday"},
		{"the remote moves while it is pushed to", func(t *testing.T, s *site) {
			write(t, s.bare, "hooks/update", `#!/bin/sh
export GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x
git update-ref refs/heads/main $(git commit-tree -p main -m moved main^{tree})
exit 1
`)
		}, true, land.ErrDiverged, "origin"},

		{"another commit than reviewed", commitWork("late.txt", "late"), false, land.ErrChanged, ""},
		{"a name instead of a commit", func(t *testing.T, s *site) { s.commit = "main" }, false, land.ErrChanged, ""},
		{"untracked in the worktree", writeWork("left", "x"), false, git.ErrNotClean, `"left"`},
		{"modified in the worktree", writeWork("a.txt", "x"), false, git.ErrNotClean, `"a.txt"`},
		{"on another branch", inWorktree("checkout", "-q", "-b", "x"), false, git.ErrInTheWay, "is on x and not on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			c.do(t, &s)
			before, work := s.ownState(t), withoutRemotes(stateOf(t, s.w.Path))
			l, err := ledger.Land(t.Context(), s.w, s.commit, c.push)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("have %+v: %v", l, err)
			}
			t.Log(err)
			if strings.Contains(c.name, "moves while") {
				return
			}
			if diff := cmp.Diff(before, s.ownState(t)); diff != "" {
				t.Errorf("the person's repository changed:\n%s", diff)
			}
			if diff := cmp.Diff(work, withoutRemotes(stateOf(t, s.w.Path))); diff != "" {
				t.Errorf("the worktree changed:\n%s", diff)
			}
		})
	}
}

// withoutRemotes removes the refs of remotes from a state.
func withoutRemotes(text string) (out string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "refs/remotes/") {
			out += line
		}
	}
	return out
}
