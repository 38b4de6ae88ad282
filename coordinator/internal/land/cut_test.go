//go:build unix

package land_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// armFilter sets up a filter that kills git once, while git writes the second of some
// files. The first is then complete, the second incomplete, and git's index has neither.
func armFilter(t *testing.T, s *site) (armed string) {
	t.Helper()
	armed = filepath.Join(t.TempDir(), "armed")
	script := filepath.Join(t.TempDir(), "smudge")
	write(t, filepath.Dir(script), "smudge", `#!/bin/sh
cat
[ -e `+armed+` ] || exit 0
echo x >>`+armed+`
[ $(wc -l <`+armed+`) -lt 3 ] && exit 0
rm `+armed+`
kill -9 0
`)
	run(t, s.dir, "config", "filter.cut.smudge", script)
	run(t, s.dir, "config", "filter.cut.clean", "cat")
	return armed
}

// addCutFiles commits files that the filter of armFilter handles.
func addCutFiles(t *testing.T, dir, text string) {
	t.Helper()
	write(t, dir, ".gitattributes", "*.cut filter=cut\n")
	for _, name := range []string{"1.cut", "2.cut", "3.cut", "z/4.cut"} {
		write(t, dir, name, strings.Repeat(text, 100))
	}
	run(t, dir, "add", ".gitattributes", "*.cut")
	run(t, dir, "commit", "-q", "-m", "files to be cut "+text)
}

// cutMerge returns a site where git died in the middle of landing, and its state before.
func cutMerge(t *testing.T) (*site, string) {
	t.Helper()
	s := ready(t)
	armed := armFilter(t, &s)
	write(t, s.dir, "mine.txt", "mine")
	addCutFiles(t, s.w.Path, "of the issue\n")
	s.commit = head(t, s.w)
	before := s.ownState(t)
	write(t, filepath.Dir(armed), "armed", "")
	_, err := ledger.Land(t.Context(), s.w, s.commit, false)
	if !errors.Is(err, git.ErrInTheWay) || !strings.Contains(err.Error(), "index.lock") {
		t.Fatal(err)
	}
	return &s, before
}

// TestCutOff checks that the next landing removes the files of a git that was killed,
// once somebody has removed its lock.
func TestCutOff(t *testing.T) {
	parallel(t)
	for name, c := range map[string]struct {
		do   step
		says string // "" if the issue lands
	}{
		"as it was left":                              {func(*testing.T, *site) {}, ""},
		"a file was begun":                            {writeInRepo("3.cut", "of the is"), ""},
		"one of the files was edited":                 {writeInRepo("1.cut", "mine\n"), `"1.cut"`},
		"a file was written that git had not reached": {writeInRepo("z/4.cut", "mine\n"), `"z/4.cut"`},
		"a file of the base was changed":              {writeInRepo("a.txt", "mine\n"), `"a.txt"`},
		"another file was staged": {func(t *testing.T, s *site) {
			write(t, s.dir, "a.txt", "mine\n")
			run(t, s.dir, "add", "a.txt")
		}, `"a.txt"`},
		"a commit was made": {inRepo("commit", "-q", "--allow-empty", "-m", "mine"), "moved on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := cutMerge(t)
			if _, err := os.Stat(filepath.Join(s.dir, "1.cut")); err != nil {
				t.Fatal("nothing was cut off")
			}
			if err := os.Remove(filepath.Join(s.dir, ".git/index.lock")); err != nil {
				t.Fatal(err)
			}
			c.do(t, s)
			there := files(t, s.dir)
			_, err := ledger.Land(t.Context(), s.w, s.commit, false)
			if (err == nil) != (c.says == "") || !strings.Contains(fmt.Sprint(err), c.says) {
				t.Fatal(err)
			}
			if c.says == "" && rev(t, s.dir, "HEAD") != s.commit {
				t.Error("it did not land")
			}
			now := files(t, s.dir)
			for name, text := range there {
				if strings.HasPrefix(text, "mine") && now[name] != text {
					t.Errorf("%s is lost", name)
				}
			}
		})
	}
}

// TestCutOffTakenBack checks that a landing that is refused restores the checkout too.
func TestCutOffTakenBack(t *testing.T) {
	parallel(t)
	s, before := cutMerge(t)
	if err := os.Remove(filepath.Join(s.dir, ".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	other := run(t, s.dir, "commit-tree", "-p", "main", "-m", "not reviewed", "main^{tree}")
	if _, err := ledger.Land(t.Context(), s.w, other, false); !errors.Is(err, land.ErrChanged) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.ownState(t)); diff != "" {
		t.Error(diff)
	}
}

// TestCutOffInTheWorktree checks that the same call completes an operation in the
// worktree that was killed. Nobody else works there.
func TestCutOffInTheWorktree(t *testing.T) {
	parallel(t)
	t.Run("rebase", func(t *testing.T) {
		t.Parallel()
		s := ready(t)
		armed := armFilter(t, &s)
		addCutFiles(t, s.dir, "of main\n")
		run(t, s.dir, "push", "-q")
		write(t, filepath.Dir(armed), "armed", "")
		if commit, err := s.w.Rebase(t.Context()); err == nil {
			t.Fatalf("it was not cut off: %s", commit)
		}
		commit, err := s.w.Rebase(t.Context())
		if err != nil || commit != head(t, s.w) {
			t.Fatal(err)
		}
		if _, err := ledger.Land(t.Context(), s.w, commit, true); err != nil {
			t.Fatal(err)
		}
	})
	for name, c := range map[string]struct {
		file  string
		later bool
		kept  bool
	}{
		"a rebase, and nothing else":         {"", false, false},
		"a rebase, and somebody's file":      {"mine.txt", false, true},
		"a rebase, and a file changed later": {"a.txt", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			write(t, s.dir, "a.txt", "of main\n")
			run(t, s.dir, "commit", "-q", "-am", "of main")
			runFailing(t, s.w.Path, "rebase", "main")
			until := time.Now().Add(time.Minute)
			write(
				t,
				s.dir,
				".git/worktrees/i1/afar.work",
				fmt.Sprintf(
					`{"Checkout":%q,"Ref":"refs/heads/afar/issue/i1","From":%q,"To":%q,"Until":%d}`, s.w.Path,
					s.commit, rev(t, s.dir, "main"), until.UnixMilli(),
				),
			)
			write(t, s.dir, ".git/worktrees/i1/index.lock", "")
			if c.file != "" {
				write(t, s.w.Path, c.file, "mine")
			}
			if c.later {
				if err := os.Chtimes(filepath.Join(s.w.Path, c.file), until, until.Add(time.Second)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.w.Rebase(t.Context())
			if c.kept != (errors.Is(err, git.ErrInTheWay) && strings.Contains(err.Error(), c.file)) ||
				c.kept == errors.Is(err, git.ErrConflict) {
				t.Fatalf("have %v", err)
			}
			if c.kept && files(t, s.w.Path)[c.file] != "mine" {
				t.Error("it is lost")
			}
			if !c.kept {
				if at := head(t, s.w); at != s.commit {
					t.Errorf("it is at %s", at)
				}
			}
		})
	}
	t.Run("add", func(t *testing.T) {
		t.Parallel()
		s := ready(t)
		armed := armFilter(t, &s)
		addCutFiles(t, s.dir, "of main\n")
		write(t, filepath.Dir(armed), "armed", "")
		if w, err := git.AddWorktree(t.Context(), s.dir, "i2", ""); err == nil {
			t.Fatalf("it was not cut off: %+v", w)
		}
		w, err := git.AddWorktree(t.Context(), s.dir, "i2", "")
		if err != nil {
			t.Fatal(err)
		}
		head(t, w)
		if len(files(t, w.Path)["3.cut"]) != 800 {
			t.Error("a file is not whole")
		}
	})
}

// TestStaleRefs checks that locks that a killed git left on our refs are removed.
func TestStaleRefs(t *testing.T) {
	parallel(t)
	s := ready(t)
	for _, name := range []string{"refs/heads/" + s.w.Branch, "refs/afar/landed/main"} {
		write(t, s.dir, ".git/"+name+".lock", "")
	}
	if _, err := s.w.Commit(t.Context(), "x", "a.txt"); err != nil {
		t.Error(err)
	}
	if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Error(err)
	}
}

// TestForeignLock checks that a lock in the worktree that our git did not make stays,
// even if a commit fails because of it.
func TestForeignLock(t *testing.T) {
	parallel(t)
	s := ready(t)
	write(t, s.w.Path, "closed.md", "closed")
	lock := filepath.Join(s.dir, ".git/worktrees/i1/index.lock")
	write(t, filepath.Dir(lock), "index.lock", "")
	for range 2 {
		if _, err := s.w.Commit(t.Context(), "close", "closed.md"); err == nil ||
			!strings.Contains(err.Error(), "index.lock") {
			t.Errorf("have %v", err)
		}
	}
	if _, err := os.Stat(lock); err != nil {
		t.Fatal(err)
	}
	write(
		t, filepath.Dir(lock), "afar.work",
		`{"Checkout":"`+s.w.Path+`","Ref":"refs/heads/afar/issue/i1","From":"x","To":"x","Until":1000}`,
	)
	if _, err := s.w.Commit(t.Context(), "close", "closed.md"); !errors.Is(err, git.ErrInTheWay) {
		t.Errorf("a later git: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if _, err := s.w.Commit(t.Context(), "close", "closed.md"); err != nil {
		t.Error(err)
	}
}

// TestConflict checks that a conflict of any kind leaves the worktree as it was.
func TestConflict(t *testing.T) {
	parallel(t)
	for name, c := range map[string]struct {
		main, issue func(t *testing.T, dir string)
	}{
		"the same line":            {writeInDir("c.txt", "main\n"), writeInDir("c.txt", "issue\n")},
		"a file and a directory":   {writeInDir("c", "main\n"), writeInDir("c/d", "issue\n")},
		"a directory and a file":   {writeInDir("c/d", "main\n"), writeInDir("c", "issue\n")},
		"changed and deleted":      {writeInDir("a.txt", "main\n"), removeInDir("a.txt")},
		"a link and a file":        {linkInDir("x", "c"), writeInDir("c", "issue\n")},
		"moved to different names": {moveInDir("b.txt", "main.txt"), moveInDir("b.txt", "issue.txt")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := cloned(t)
			w, err := git.AddWorktree(t.Context(), dir, "i1", "")
			if err != nil {
				t.Fatal(err)
			}
			c.issue(t, w.Path)
			work(t, w, "more.txt", "more")
			c.main(t, dir)
			run(t, dir, "add", "-A")
			run(t, dir, "commit", "-q", "-m", "of main")
			write(t, w.Path, ".git-is-not-asked/x", "x")
			write(t, dir, ".git/info/exclude", ".git-is-not-asked\n.worktrees\n")
			before := stateOf(t, w.Path)
			_, err = w.Rebase(t.Context())
			if !errors.Is(err, git.ErrConflict) {
				t.Fatalf("have %v", err)
			}
			t.Log(err)
			if diff := cmp.Diff(before, stateOf(t, w.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func writeInDir(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { write(t, dir, name, text) }
}

func removeInDir(name string) func(*testing.T, string) {
	return func(_ *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, name)) }
}

func linkInDir(to, name string) func(*testing.T, string) {
	return func(_ *testing.T, dir string) { _ = os.Symlink(to, filepath.Join(dir, name)) }
}

func moveInDir(from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { run(t, dir, "mv", from, to) }
}

// TestRebaseRefused checks that a rebase that would lose something is refused before it
// begins.
func TestRebaseRefused(t *testing.T) {
	parallel(t)
	for name, c := range map[string]struct {
		do   step
		want error
	}{
		"untracked":                  {writeWork("left", "x"), git.ErrNotClean},
		"modified":                   {writeWork("a.txt", "x"), git.ErrNotClean},
		"an ignored file in the way": {writeWork("other.log", "x"), git.ErrInTheWay},
		"a rebase of the model's": {
			func(t *testing.T, s *site) { runFailing(t, s.w.Path, "rebase", "main") },
			git.ErrInTheWay,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			write(t, s.dir, "other.log", "of main")
			write(t, s.dir, "a.txt", "of main")
			run(t, s.dir, "add", "-f", "other.log", "a.txt")
			run(t, s.dir, "commit", "-q", "-m", "of main")
			run(t, s.dir, "config", "rebase.autoStash", "true")
			c.do(t, &s)
			before := stateOf(t, s.w.Path)
			if _, err := s.w.Rebase(t.Context()); !errors.Is(err, c.want) {
				t.Fatalf("have %v", err)
			}
			if diff := cmp.Diff(before, stateOf(t, s.w.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTogether runs several loops in one repository at once and checks that all land.
func TestTogether(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	dir, bare := cloned(t)
	const loops = 3
	var wg sync.WaitGroup
	for i := range loops {
		wg.Go(func() { issueLoop(t, dir, string(rune('a'+i))) })
	}
	wg.Wait()
	for _, at := range []string{dir, bare} {
		if n := run(t, at, "rev-list", "--count", "main"); n != "7" {
			t.Errorf("%s has %s commits", at, n)
		}
	}
	if left := run(t, dir, "status", "--porcelain") + run(t, dir, "branch", "--list", "afar/*"); left != "" {
		t.Errorf("left: %s", left)
	}
}

// issueLoop lands two issues of one commit each, one after the other.
func issueLoop(t *testing.T, dir, name string) {
	for _, id := range []string{name + "1", name + "2"} {
		w, err := git.AddWorktree(t.Context(), dir, id, "")
		if err != nil {
			t.Error(err)
			return
		}
		if err := os.WriteFile(filepath.Join(w.Path, id), []byte(id), 0o644); err != nil {
			t.Error(err)
		}
		commit, err := w.Commit(t.Context(), "work of "+id, id)
		for range 50 {
			if err != nil {
				break
			}
			if _, err = ledger.Land(t.Context(), w, commit, true); !errors.Is(err, land.ErrDiverged) {
				break
			}
			commit, err = w.Rebase(t.Context())
		}
		if err == nil {
			err = w.Remove(t.Context())
		}
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}
