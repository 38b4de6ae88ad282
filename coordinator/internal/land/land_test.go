package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
)

// beginIssue returns a worktree with one commit of work.
func beginIssue(t *testing.T, dir, id string) git.Worktree {
	t.Helper()
	w, err := git.AddWorktree(t.Context(), dir, id, "")
	if err != nil {
		t.Fatal(err)
	}
	work(t, w, id+".txt", "work of "+id+"\n")
	return w
}

// work commits one file in a worktree, as a model does.
func work(t *testing.T, w git.Worktree, name, text string) string {
	t.Helper()
	write(t, w.Path, name, text)
	run(t, w.Path, "add", "-A")
	run(t, w.Path, "commit", "-q", "-m", "change "+name+" in "+t.Name()) // else it could be that of a test beside it
	return head(t, w)
}

// head returns the commit of a clean worktree.
func head(t *testing.T, w git.Worktree) string {
	t.Helper()
	commit, clean, err := w.Head(t.Context())
	if err != nil || !clean {
		t.Fatalf("clean %v: %v", clean, err)
	}
	return commit
}

func rev(t *testing.T, dir, name string) string {
	t.Helper()
	return run(t, dir, "rev-parse", name)
}

// TestIssue takes one issue from its worktree to its removal.
func TestIssue(t *testing.T) {
	parallel(t)
	dir, bare := cloned(t)
	ctx := t.Context()
	w := beginIssue(t, dir, "fix-login")
	if top, err := git.Top(ctx, w.Path); err != nil || top != dir {
		t.Errorf("top is %q: %v", top, err)
	}
	want := git.Worktree{
		Repo:       dir,
		Path:       filepath.Join(dir, ".worktrees/afar/fix-login"),
		Branch:     "afar/issue/fix-login",
		Base:       "main",
		BaseCommit: rev(t, dir, "main"),
	}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Error(diff)
	}
	if status := run(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("the main checkout shows %s", status)
	}
	text, cut, err := w.Diff(ctx, 10_000)
	if err != nil || cut || !strings.Contains(text, "+work of fix-login") {
		t.Errorf("cut %v, %v: %s", cut, err, text)
	}
	write(t, w.Path, "closed.md", "status: closed\n")
	write(t, w.Path, "other.md", "not asked for\n")
	commit, err := w.Commit(ctx, "close\n\n# of it", "closed.md")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Commit(ctx, "close", "closed.md"); err != nil || again != commit {
		t.Errorf("a second time: %s, %v", again, err)
	}
	if _, err := ledger.Land(ctx, w, commit, true); !errors.Is(err, git.ErrNotClean) {
		t.Errorf("with an untracked file: %v", err)
	}
	if err := os.Remove(filepath.Join(w.Path, "other.md")); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(ctx); !errors.Is(err, git.ErrNotMerged) {
		t.Errorf("removed before it landed: %v", err)
	}
	for range 2 {
		l, err := ledger.Land(ctx, w, commit, true)
		if err != nil || !l.Pushed || l.Commit != commit {
			t.Fatalf("have %+v: %v", l, err)
		}
	}
	if rev(t, dir, "main") != commit || rev(t, bare, "main") != commit || rev(t, dir, "HEAD:closed.md") == "" {
		t.Error("the commit did not land")
	}
	for range 2 {
		if err := w.Remove(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(w.Path); err == nil || run(t, dir, "branch", "--list", "afar/*") != "" ||
		strings.Contains(run(t, dir, "worktree", "list"), "afar") {
		t.Error("something is left")
	}
}

func TestRebase(t *testing.T) {
	parallel(t)
	dir, _ := cloned(t)
	ctx := t.Context()
	w, other := beginIssue(t, dir, "one"), beginIssue(t, dir, "two")
	if _, err := ledger.Land(ctx, w, head(t, w), false); err != nil {
		t.Fatal(err)
	}
	before := head(t, other)
	if _, err := ledger.Land(ctx, other, before, false); !errors.Is(err, land.ErrDiverged) {
		t.Fatalf("have %v", err)
	}
	after, err := other.Rebase(ctx)
	if err != nil || after == before {
		t.Fatalf("%s, then %s: %v", before, after, err)
	}
	if _, err := ledger.Land(ctx, other, before, false); !errors.Is(err, land.ErrChanged) {
		t.Errorf("what was not reviewed landed: %v", err)
	}
	if _, err := ledger.Land(ctx, other, after, false); err != nil {
		t.Fatal(err)
	}
	third := beginIssue(t, dir, "three")
	work(t, third, "a.txt", "of three\n")
	write(t, dir, "a.txt", "of main\n")
	run(t, dir, "commit", "-q", "-am", "mine")
	before = stateOf(t, third.Path)
	if _, err := third.Rebase(ctx); !errors.Is(err, git.ErrConflict) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("have %v", err)
	}
	if now := stateOf(t, third.Path); now != before {
		t.Errorf("it was\n%s\nand is\n%s", before, now)
	}
}

// TestOddPlaces uses unusual names for the repository and for files.
func TestOddPlaces(t *testing.T) {
	parallel(t)
	from, _ := cloned(t)
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "a b[c]*? 'q' \"d\"\n-ü")
	if err := os.Rename(from, dir); err != nil {
		t.Fatal(err)
	}
	w, err := git.AddWorktree(ctx, dir, "i1", "")
	if err != nil {
		t.Fatal(err)
	}
	odd := []string{"-rf", "a\nb", "ü \"x\"", ":(top)*", "*", "deep [x]/\tc"}
	for _, name := range odd {
		write(t, w.Path, name, "odd\n")
	}
	commit, err := w.Commit(ctx, "odd names", odd...)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, odd[5], "mine")
	if _, err := ledger.Land(ctx, w, commit, true); !errors.Is(err, git.ErrInTheWay) ||
		!strings.Contains(err.Error(), `"deep [x]/\tc"`) {
		t.Errorf("have %v", err)
	}
	if err := os.Remove(filepath.Join(dir, odd[5])); err != nil {
		t.Fatal(err)
	}
	write(t, dir, odd[1], "mine") // then the person changes the base
	run(t, dir, "add", "--", odd[1])
	run(t, dir, "commit", "-q", "-m", "mine")
	run(t, dir, "push", "-q")
	if _, err := w.Rebase(ctx); !errors.Is(err, git.ErrConflict) || !strings.Contains(err.Error(), `"a\nb"`) {
		t.Errorf("have %v", err)
	}
	write(t, w.Path, odd[1], "mine")
	if _, err := w.Commit(ctx, "the same", odd[1]); err != nil {
		t.Fatal(err)
	}
	run(t, w.Path, "reset", "-q", "--soft", "main")
	run(t, w.Path, "commit", "-q", "-m", "all of it")
	for range 2 {
		if _, err := ledger.Land(ctx, w, head(t, w), true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Remove(ctx); err != nil {
		t.Fatal(err)
	}
	if status := run(t, dir, "status", "--porcelain"); status != "" {
		t.Errorf("left: %s", status)
	}
}
