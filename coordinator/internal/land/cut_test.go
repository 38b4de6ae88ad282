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
)

// cutting has git killed while it writes the second of some files: the first is
// there, the second is there in part, and git's index knows of neither. It
// happens once.
func cutting(t *testing.T, s *site) (armed string) {
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

func slow(t *testing.T, dir, text string) {
	t.Helper()
	write(t, dir, ".gitattributes", "*.cut filter=cut\n")
	for _, name := range []string{"1.cut", "2.cut", "3.cut", "z/4.cut"} {
		write(t, dir, name, strings.Repeat(text, 100))
	}
	run(t, dir, "add", ".gitattributes", "*.cut")
	run(t, dir, "commit", "-q", "-m", "files to be cut "+text)
}

// cutMerge is a site where git died in the middle of landing.
func cutMerge(t *testing.T) (*site, string) {
	t.Helper()
	s := ready(t)
	armed := cutting(t, &s)
	write(t, s.dir, "mine.txt", "mine")
	slow(t, s.w.Path, "of the issue\n")
	s.commit = head(t, s.w)
	before := s.persons(t)
	write(t, filepath.Dir(armed), "armed", "")
	_, err := land.Land(t.Context(), s.w, s.commit, false)
	if !errors.Is(err, git.ErrInTheWay) || !strings.Contains(err.Error(), "index.lock") {
		t.Fatal(err)
	}
	return &s, before
}

// TestCutOff: what git wrote of a landing before it died goes away again, once
// the lock that it left does.
func TestCutOff(t *testing.T) {
	beside(t)
	for name, c := range map[string]struct {
		do   func(t *testing.T, s *site)
		says string // "" is that it lands
	}{
		"as it was left":                                 {func(*testing.T, *site) {}, ""},
		"a file was begun":                               {func(t *testing.T, s *site) { write(t, s.dir, "3.cut", "of the is") }, ""},
		"somebody wrote one of the files":                {func(t *testing.T, s *site) { write(t, s.dir, "1.cut", "mine\n") }, `"1.cut"`},
		"somebody wrote a file that git had not reached": {func(t *testing.T, s *site) { write(t, s.dir, "z/4.cut", "mine\n") }, `"z/4.cut"`},
		"somebody changed a file of the base":            {func(t *testing.T, s *site) { write(t, s.dir, "a.txt", "mine\n") }, `"a.txt"`},
		"somebody staged something else": {func(t *testing.T, s *site) {
			write(t, s.dir, "a.txt", "mine\n")
			run(t, s.dir, "add", "a.txt")
		}, `"a.txt"`},
		"somebody committed": {func(t *testing.T, s *site) { run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine") }, "moved on"},
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
			_, err := land.Land(t.Context(), s.w, s.commit, false)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
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

// TestCutOffTakenBack: without a new landing, the checkout is what it was.
func TestCutOffTakenBack(t *testing.T) {
	beside(t)
	s, before := cutMerge(t)
	if err := os.Remove(filepath.Join(s.dir, ".git/index.lock")); err != nil {
		t.Fatal(err)
	}
	other := run(t, s.dir, "commit-tree", "-p", "main", "-m", "not reviewed", "main^{tree}")
	if _, err := land.Land(t.Context(), s.w, other, false); !errors.Is(err, land.ErrChanged) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.persons(t)); diff != "" {
		t.Error(diff)
	}
}

// TestCutOffInTheWorktree: there nobody else is at work, and the same call again
// is all that it takes.
func TestCutOffInTheWorktree(t *testing.T) {
	beside(t)
	t.Run("rebase", func(t *testing.T) {
		t.Parallel()
		s := ready(t)
		armed := cutting(t, &s)
		slow(t, s.dir, "of main\n")
		run(t, s.dir, "push", "-q")
		write(t, filepath.Dir(armed), "armed", "")
		if commit, err := s.w.Rebase(t.Context()); err == nil {
			t.Fatalf("it was not cut off: %s", commit)
		}
		commit, err := s.w.Rebase(t.Context())
		if err != nil || commit != head(t, s.w) {
			t.Fatal(err)
		}
		if _, err := land.Land(t.Context(), s.w, commit, true); err != nil {
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
			fails(t, s.w.Path, "rebase", "main")
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
		armed := cutting(t, &s)
		slow(t, s.dir, "of main\n")
		write(t, filepath.Dir(armed), "armed", "")
		if w, err := git.AddWorktree(t.Context(), s.dir, "i2"); err == nil {
			t.Fatalf("it was not cut off: %+v", w)
		}
		w, err := git.AddWorktree(t.Context(), s.dir, "i2")
		if err != nil {
			t.Fatal(err)
		}
		head(t, w)
		if len(files(t, w.Path)["3.cut"]) != 800 {
			t.Error("a file is not whole")
		}
	})
}

// TestStaleRefs: a lock that a killed git left on a ref of ours is no end.
func TestStaleRefs(t *testing.T) {
	beside(t)
	s := ready(t)
	for _, name := range []string{"refs/heads/" + s.w.Branch, "refs/afar/landed/main"} {
		write(t, s.dir, ".git/"+name+".lock", "")
	}
	if _, err := s.w.Commit(t.Context(), "x", "a.txt"); err != nil {
		t.Error(err)
	}
	if _, err := land.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Error(err)
	}
}

// TestForeignLock: a lock in the worktree that no git of ours made stays, also
// after a commit failed because of it.
func TestForeignLock(t *testing.T) {
	beside(t)
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

// TestConflict: the worktree is as it was, whatever kind of conflict it is.
func TestConflict(t *testing.T) {
	beside(t)
	for name, c := range map[string]struct {
		main, issue func(t *testing.T, dir string)
	}{
		"the same line":            {writes0("c.txt", "main\n"), writes0("c.txt", "issue\n")},
		"a file and a directory":   {writes0("c", "main\n"), writes0("c/d", "issue\n")},
		"a directory and a file":   {writes0("c/d", "main\n"), writes0("c", "issue\n")},
		"changed and deleted":      {writes0("a.txt", "main\n"), func(t *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "a.txt")) }},
		"a link and a file":        {func(t *testing.T, dir string) { _ = os.Symlink("x", filepath.Join(dir, "c")) }, writes0("c", "issue\n")},
		"moved to different names": {moves("b.txt", "main.txt"), moves("b.txt", "issue.txt")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := cloned(t)
			w, err := git.AddWorktree(t.Context(), dir, "i1")
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
			before := standing(t, w.Path)
			_, err = w.Rebase(t.Context())
			if !errors.Is(err, git.ErrConflict) {
				t.Fatalf("have %v", err)
			}
			t.Log(err)
			if diff := cmp.Diff(before, standing(t, w.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func writes0(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { write(t, dir, name, text) }
}

func moves(from, to string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { run(t, dir, "mv", from, to) }
}

// TestRebaseRefused: what would be lost by a rebase is no conflict, but a
// refusal before it begins.
func TestRebaseRefused(t *testing.T) {
	beside(t)
	for name, c := range map[string]struct {
		do   func(t *testing.T, w git.Worktree)
		want error
	}{
		"untracked":                  {func(t *testing.T, w git.Worktree) { write(t, w.Path, "left", "x") }, git.ErrNotClean},
		"modified":                   {func(t *testing.T, w git.Worktree) { write(t, w.Path, "a.txt", "x") }, git.ErrNotClean},
		"an ignored file in the way": {func(t *testing.T, w git.Worktree) { write(t, w.Path, "other.log", "x") }, git.ErrInTheWay},
		"a rebase of the model's":    {func(t *testing.T, w git.Worktree) { fails(t, w.Path, "rebase", "main") }, git.ErrInTheWay},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			write(t, s.dir, "other.log", "of main")
			write(t, s.dir, "a.txt", "of main")
			run(t, s.dir, "add", "-f", "other.log", "a.txt")
			run(t, s.dir, "commit", "-q", "-m", "of main")
			run(t, s.dir, "config", "rebase.autoStash", "true")
			c.do(t, s.w)
			before := standing(t, s.w.Path)
			if _, err := s.w.Rebase(t.Context()); !errors.Is(err, c.want) {
				t.Fatalf("have %v", err)
			}
			if diff := cmp.Diff(before, standing(t, s.w.Path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTogether: many loops in one repository at once, and all of them land.
func TestTogether(t *testing.T) {
	t.Parallel()
	dir, bare := cloned(t)
	const loops = 4
	var wg sync.WaitGroup
	for i := range loops {
		wg.Go(func() { issueLoop(t, dir, string(rune('a'+i))) })
	}
	wg.Wait()
	for _, at := range []string{dir, bare} {
		if n := run(t, at, "rev-list", "--count", "main"); n != "9" {
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
		w, err := git.AddWorktree(t.Context(), dir, id)
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
			if _, err = land.Land(t.Context(), w, commit, true); !errors.Is(err, land.ErrDiverged) {
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
