package undowork_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/undowork"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
)

func TestMain(m *testing.M) { gitrepo.Main(m, "AFAR_UNDO_CHILD") }

var (
	run, write, branched, stateOf = gitrepo.Run, gitrepo.Write, gitrepo.Branched, gitrepo.State
)

func snapshots(t *testing.T) undowork.Keeper {
	return undowork.NewKeeper(filepath.Join(t.TempDir(), "work"))
}

// A step is one destructive command in a repository, with the scope of the snapshot that
// Afar takes before it.
type step struct {
	name   string
	start  func(t *testing.T, dir string)
	losses func(dir string) []undo.Loss
	do     func(t *testing.T, dir string)
	kept   string // part of what the snapshot keeps
}

func tree0(dir string) []undo.Loss    { return []undo.Loss{{Dir: dir}} }
func ignored0(dir string) []undo.Loss { return []undo.Loss{{Dir: dir, Ignored: true}} }
func paths0(names ...string) func(string) []undo.Loss {
	return func(dir string) (out []undo.Loss) {
		for _, n := range names {
			out = append(out, undo.Loss{Dir: dir, Path: filepath.Join(dir, n)})
		}
		return out
	}
}
func ref0(name string) func(string) []undo.Loss {
	return func(dir string) []undo.Loss { return []undo.Loss{{Dir: dir, Ref: name}} }
}

// busy makes a repository with work of each kind.
func busy(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "a.txt", "changed\n")
	write(t, dir, "staged.txt", "staged\n")
	run(t, dir, "add", "staged.txt")
	write(t, dir, "staged.txt", "and changed again\r\n\x00\xff")
	if err := os.Remove(filepath.Join(dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "new dir/ü \"quoted\"\n\t.txt", "untracked")
	write(t, dir, "new dir/\xff\xfe", "a name that is no text")
	write(t, dir, "-rf", "a name like a flag")
	write(t, dir, ".gitignore", "*.log\nbuild/\n")
	write(t, dir, "build/out.log", "ignored")
	write(t, dir, "secret.log", "ignored too")
	for name, perm := range map[string]fs.FileMode{"secret.log": 0o600, "a.txt": 0o644, "staged.txt": 0o755} {
		if err := os.Chmod(filepath.Join(dir, name), perm); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
}

func steps() []step {
	g := func(args ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { t.Helper(); run(t, dir, args...) }
	}
	rm := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, n := range names {
				if err := os.RemoveAll(filepath.Join(dir, n)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return []step{
		{"reset --hard", busy, tree0, g("reset", "-q", "--hard"), "7 files"},
		{"checkout -- .", busy, tree0, g("checkout", "-q", "--", "."), ""},
		{"clean -fd", busy, tree0, g("clean", "-q", "-fd"), ""},
		{"clean -fdx", busy, ignored0, g("clean", "-q", "-fdx"), "9 files"},
		{"checkout -f other", busy, tree0, g("checkout", "-q", "-f", "other"), ""},
		{"switch to a commit", busy, tree0, g("checkout", "-q", "-f", "--detach", "other"), ""},
		{"back a commit", nil, tree0, g("reset", "-q", "--hard", "HEAD~1"), "branch main"},
		{
			"stash with all",
			busy,
			func(dir string) []undo.Loss { return []undo.Loss{{Dir: dir, Ignored: true}} },
			func(t *testing.T, dir string) {
				run(t, dir, "stash", "-q", "-a")
				run(t, dir, "stash", "drop", "-q")
			},
			"",
		},
		{
			"rm -r of tracked and untracked",
			busy,
			paths0("new dir", "a.txt", "build"),
			rm("new dir", "a.txt", "build"),
			"4 files",
		},
		{"rm of a pattern", busy, paths0("*.txt"), rm("a.txt", "staged.txt"), "2 files"},
		{"overwrite, and make", busy, paths0("a.txt", "made"), func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "made", "by the step")
		}, "1 file, 8 bytes"},
		{"a link becomes a file", busy, paths0("link"), func(t *testing.T, dir string) {
			rm("link")(t, dir)
			write(t, dir, "link", "file")
		}, ""},
		{"a file is a directory", func(t *testing.T, dir string) {
			rm("a.txt")(t, dir)
			write(t, dir, "a.txt/in it", "mine")
		}, tree0, g("reset", "-q", "--hard"), "1 file, 4 bytes"},
		{"a directory is a link", func(t *testing.T, dir string) {
			write(t, dir, "sub/f", "1")
			write(t, dir, "else/f", "2")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "sub")
			rm("sub")(t, dir)
			if err := os.Symlink("else", filepath.Join(dir, "sub")); err != nil {
				t.Fatal(err)
			}
		}, tree0, g("reset", "-q", "--hard"), "1 file, 4 bytes"},
		{"branch -D", nil, ref0("other"), g("branch", "-q", "-D", "other"), "branch other"},
		{"branch -f", nil, ref0("other"), g("branch", "-q", "-f", "other", "main~1"), ""},
		{"tag -d", nil, ref0("v1"), g("tag", "-d", "v1"), "tag v1"},
		{"update-ref -d", nil, ref0("refs/heads/other"), g("update-ref", "-d", "refs/heads/other"), ""},
		{
			"stash drop",
			stashed,
			func(dir string) []undo.Loss { return []undo.Loss{{Dir: dir, Stashes: true}} },
			g("stash", "drop", "-q"),
			"2 stashes",
		},
		{
			"stash clear",
			stashed,
			func(dir string) []undo.Loss { return []undo.Loss{{Dir: dir, Stashes: true}} },
			g("stash", "clear"),
			"",
		},
		{"all refs", nil, ref0("*"), func(t *testing.T, dir string) {
			run(t, dir, "branch", "-q", "-D", "other")
			run(t, dir, "tag", "-d", "v1")
		}, ""},
		{"before the first commit", func(t *testing.T, dir string) {
			run(t, dir, "checkout", "-q", "--orphan", "fresh")
			run(t, dir, "rm", "-q", "-r", "--cached", ".")
			write(t, dir, "x", "1")
			run(t, dir, "add", "x")
		}, tree0, func(t *testing.T, dir string) {
			rm("x", "a.txt")(t, dir)
			run(t, dir, "rm", "-q", "--cached", "x")
		}, ""},
		{"a sparse checkout", func(t *testing.T, dir string) {
			write(t, dir, "in/x", "1")
			write(t, dir, "out/y", "1")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "two folders")
			write(t, dir, "out/y", "2")
			run(t, dir, "commit", "-q", "-am", "out")
			run(t, dir, "sparse-checkout", "set", "--cone", "in")
			write(t, dir, "in/x", "mine")
		}, tree0, g("reset", "-q", "--hard", "HEAD~1"), "1 file, 4 bytes"},
		{"a split index", func(t *testing.T, dir string) {
			run(t, dir, "config", "core.splitIndex", "true")
			busy(t, dir)
			run(t, dir, "update-index", "--split-index")
		}, tree0, g("reset", "-q", "--hard"), ""},
		{"mixed line ends", func(t *testing.T, dir string) {
			write(t, dir, ".gitattributes", "*.crlf text eol=crlf\n")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "crlf")
			write(t, dir, "u.crlf", "one\ntwo\r\n")
		}, tree0, g("clean", "-q", "-fd"), ""},
		{"line ends", func(t *testing.T, dir string) {
			write(t, dir, ".gitattributes", "*.crlf text eol=crlf\n")
			write(t, dir, "w.crlf", "one\r\ntwo\r\n")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "crlf")
		}, tree0, g("reset", "-q", "--hard", "HEAD~1"), ""},
	}
}

// stashed makes a repository with two stashes.
func stashed(t *testing.T, dir string) {
	for _, text := range []string{"one", "two"} {
		write(t, dir, "a.txt", text)
		run(t, dir, "stash", "-q")
	}
}

func conflict(t *testing.T, dir string) {
	write(t, dir, "a.txt", "mine\n")
	run(t, dir, "commit", "-q", "-am", "mine")
	run(t, dir, "checkout", "-q", "-b", "theirs", "HEAD~1")
	write(t, dir, "a.txt", "theirs\n")
	run(t, dir, "commit", "-q", "-am", "theirs")
	run(t, dir, "checkout", "-q", "main")
	run(t, dir, "read-tree", "-m", "-u", "HEAD~1", "HEAD", "theirs") // as a merge leaves it
	write(t, dir, "a.txt", "<<<< half resolved\n")
	for _, name := range []string{"a.txt"} { // write makes programs
		if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// taken takes the picture of a repository before a step.
func taken(t *testing.T, s undowork.Keeper, losses []undo.Loss) undo.Picture {
	t.Helper()
	scopes, why := s.Scopes(t.Context(), losses)
	if len(scopes) != 1 || why != "" {
		t.Fatalf("have %d scopes, %q", len(scopes), why)
	}
	p, err := s.Take(t.Context(), scopes[0], "undo_1")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func after(t *testing.T, s undowork.Keeper, before undo.Picture) *undo.Picture {
	t.Helper()
	p, err := s.Take(t.Context(), before.Again(), "undo_1")
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

func restore(t *testing.T, s undowork.Keeper, before undo.Picture, after *undo.Picture) *undowork.Plan {
	t.Helper()
	p, err := s.Plan(t.Context(), before, after, time.Time{}, "undo_2")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUndo checks that each step can be undone completely, and the undo too, even after a
// git gc that keeps nothing. Taking a snapshot changes nothing.
func TestUndo(t *testing.T) {
	gitrepo.Parallel(t)
	for _, st := range steps() {
		t.Run(st.name, func(t *testing.T) {
			t.Parallel()
			dir, s := branched(t), snapshots(t)
			if st.start != nil {
				st.start(t, dir)
			}
			want := stateOf(t, dir)
			before := taken(t, s, st.losses(dir))
			if diff := cmp.Diff(want, stateOf(t, dir)); diff != "" {
				t.Fatalf("a snapshot changed something:\n%s", diff)
			}
			holds := undo.Snapshot{Pictures: []undo.Picture{before}}.Holds()
			if !strings.Contains(holds, st.kept) || holds == "" {
				t.Errorf("it holds %q, want %q", holds, st.kept)
			}
			st.do(t, dir)
			done := stateOf(t, dir)
			if done == want {
				t.Fatal("the step did nothing")
			}
			left := after(t, s, before)
			run(t, dir, "-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
			p := restore(t, s, before, left)
			if diff := cmp.Diff(want, stateOf(t, dir)); diff != "" {
				t.Errorf("not as it was:\n%s", diff)
			}
			if len(p.Newer) > 0 || p.Did() == "" {
				t.Errorf("newer %q, did %q", p.Newer, p.Did())
			}
			again := restore(t, s, before, left).Did()
			if again != "" && !strings.HasPrefix(again, "left as it is: ") {
				t.Errorf("a second time does %q", again)
			}
			if strings.HasPrefix(st.name, "stash") {
				return // a stash that comes back goes on top, and undo takes none away
			}
			restore(t, s, p.Now, &before)
			if diff := cmp.Diff(done, stateOf(t, dir)); diff != "" && !strings.Contains(st.name, "branch") &&
				!strings.Contains(st.name, "ref") &&
				!strings.Contains(st.name, "tag") {
				t.Errorf("the undoing is not undone:\n%s", diff)
			}
		})
	}
}

// TestUndoUnmerged checks that a half resolved file comes back, and that the
// index then has our side of it. The stages of the conflict do not come back.
func TestUndoUnmerged(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	conflict(t, dir)
	before := taken(t, s, tree0(dir))
	ours := run(t, dir, "rev-parse", ":2:a.txt")
	run(t, dir, "reset", "-q", "--hard")
	restore(t, s, before, after(t, s, before))
	if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "<<<< half resolved\n" {
		t.Errorf("a.txt: %q", got)
	}
	if staged := run(t, dir, "rev-parse", ":a.txt"); staged != ours {
		t.Errorf("staged: %s, want %s", staged, ours)
	}
}

// TestUndoStagedSince checks that changes that were staged after the step are named before
// they are overwritten.
func TestUndoStagedSince(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	busy(t, dir)
	before := taken(t, s, tree0(dir))
	run(t, dir, "reset", "-q", "--hard")
	left := after(t, s, before)
	write(t, dir, "since.txt", "since")
	run(t, dir, "add", "since.txt")
	p := restore(t, s, before, left)
	if !slices.Equal(p.Newer, []string{"the index (staged since)"}) {
		t.Errorf("newer: %q", p.Newer)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "since.txt")); string(got) != "since" {
		t.Errorf("since.txt: %q", got)
	}
}

// TestUndoNewer checks that work that was done after the step is named before it is
// overwritten, and that files that the step did not touch stay.
func TestUndoNewer(t *testing.T) {
	gitrepo.Parallel(t)
	for _, known := range []bool{true, false} {
		t.Run(fmt.Sprint(known), func(t *testing.T) {
			t.Parallel()
			dir, s := branched(t), snapshots(t)
			busy(t, dir)
			before := taken(t, s, tree0(dir))
			run(t, dir, "reset", "-q", "--hard")
			var left *undo.Picture
			if known {
				left = after(t, s, before)
			}
			write(t, dir, "a.txt", "newer\n")
			write(t, dir, "mine.txt", "made since")
			p, err := s.Plan(t.Context(), before, left, time.Time{}, "undo_2")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(p.Newer, "a.txt") || known && len(p.Newer) != 1 {
				t.Errorf("newer: %q", p.Newer)
			}
			if err := s.Apply(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{
				"a.txt":    "changed\n",
				"mine.txt": "made since",
				"-rf":      "a name like a flag",
			} {
				if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			restore(t, s, p.Now, &before) // the newer work is not lost either
			if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "newer\n" {
				t.Errorf("a.txt: %q", got)
			}
		})
	}
}

// TestUndoHidden checks that log, branch, push and clone do not show a snapshot, and that
// nothing of a forgotten one stays.
func TestUndoHidden(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	busy(t, dir)
	log := func() string { // commits of one second have no order
		lines := strings.Split(run(t, dir, "log", "--all", "--oneline"), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	commits := log()
	before := taken(t, s, append(tree0(dir), undo.Loss{Dir: dir, Ref: "*"}))
	far := filepath.Join(t.TempDir(), "far.git")
	run(t, dir, "init", "-q", "--bare", far)
	for _, args := range [][]string{{"--all"}, {"--tags"}} {
		run(t, dir, append([]string{"push", "-q", far}, args...)...)
	}
	for what, out := range map[string]string{
		"push": run(t, far, "for-each-ref"), "branch": run(t, dir, "branch", "-a"), "tag": run(t, dir, "tag"),
		"log":  strings.TrimPrefix(log(), commits),
		"fsck": run(t, dir, "fsck", "--no-dangling"),
	} {
		if strings.Contains(out, "afar") || out != "" && (what == "log" || what == "fsck") {
			t.Errorf("%s shows %q", what, out)
		}
	}
	if out := run(t, dir, "for-each-ref", "refs/afar"); !strings.Contains(out, "undo_1/"+before.Tree) {
		t.Errorf("refs: %s", out)
	}
	if err := s.Forget(t.Context(), before.Scope.Root, "undo_1"); err != nil {
		t.Fatal(err)
	}
	if out := run(t, dir, "for-each-ref", "refs/afar"); out != "" {
		t.Errorf("left: %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestUndoLeavesOut checks that a snapshot names what it cannot keep.
func TestUndoLeavesOut(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	write(t, dir, "big.bin", strings.Repeat("x", 5000))
	write(t, dir, "small", "x")
	run(t, dir, "init", "-q", "nested")
	write(t, dir, "nested/f", "x")
	if out, err := os.Create(filepath.Join(dir, "dark")); err == nil {
		out.Close()
		_ = os.Chmod(out.Name(), 0)
	}
	s.Bytes, s.Files = 1000, 100
	p := taken(t, s, tree0(dir))
	for _, want := range []string{"nested (a repository of its own)", "1 file above the bounds (big.bin)"} {
		if !slices.Contains(p.Left, want) {
			t.Errorf("left out: %q, not %q", p.Left, want)
		}
	}
	s.Files = 1
	if p := taken(t, s, tree0(dir)); p.Files != 1 {
		t.Errorf("%d files", p.Files)
	}
	for _, l := range []undo.Loss{
		{Dir: dir, Path: dir},
		{Dir: "/", Path: dir},
		{Dir: dir, Path: filepath.Join(dir, "nested")},
	} {
		if scopes, why := s.Scopes(t.Context(), []undo.Loss{l}); len(scopes) != 0 || why == "" {
			t.Errorf("%v: %v, %q", l, scopes, why)
		}
	}
	for _, l := range []undo.Loss{
		{Dir: t.TempDir()},
		{Dir: "x"},
		{Dir: dir, Path: filepath.Join(dir, ".git", "config")},
		{Dir: dir, Path: filepath.Join(t.TempDir(), "x")},
		{Dir: "/no/such/dir", Path: "/no/such/dir/x"},
	} {
		if scopes, why := s.Scopes(t.Context(), []undo.Loss{l}); len(scopes) != 0 || why != "" {
			t.Errorf("%v: %v, %q", l, scopes, why)
		}
	}
}

// TestUndoElsewhere undoes steps in a linked worktree, in a folder of a repository, and in
// a bare repository.
func TestUndoElsewhere(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	linked := filepath.Join(t.TempDir(), "w")
	run(t, dir, "worktree", "add", "-q", linked, "other")
	write(t, linked, "sub/x", "mine")
	want, untouched := stateOf(t, linked), stateOf(t, dir)
	before := taken(t, s, tree0(filepath.Join(linked, "sub")))
	run(t, linked, "clean", "-q", "-fd")
	restore(t, s, before, nil)
	if diff := cmp.Diff(want, stateOf(t, linked)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(untouched, stateOf(t, dir)); diff != "" {
		t.Error(diff)
	}
	bare := filepath.Join(t.TempDir(), "b.git")
	run(t, dir, "clone", "-q", "--bare", dir, bare)
	refs := run(t, bare, "for-each-ref")
	before = taken(t, s, append(ref0("other")(bare), tree0(bare)...))
	run(t, bare, "branch", "-D", "other")
	restore(t, s, before, nil)
	if got := run(t, bare, "for-each-ref", "refs/heads", "refs/tags"); got != refs {
		t.Errorf("%s\nwant\n%s", got, refs)
	}
}

// TestUndoForms cleans and restores repositories of other forms.
func TestUndoForms(t *testing.T) {
	gitrepo.Parallel(t)
	for name, make := range map[string]func(t *testing.T, dir string) string{
		"sha256": func(t *testing.T, _ string) string {
			dir := t.TempDir()
			run(t, dir, "init", "-q", "--object-format=sha256", "-b", "main")
			write(t, dir, "a.txt", "one")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-q", "-m", "one")
			return dir
		},
		"shallow": func(t *testing.T, dir string) string {
			to := filepath.Join(t.TempDir(), "s")
			run(t, dir, "clone", "-q", "--depth", "1", "file://"+dir, to)
			return to
		},
		"of a submodule": func(t *testing.T, dir string) string {
			run(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "sub")
			return filepath.Join(dir, "sub")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, s := make(t, branched(t)), snapshots(t)
			write(t, dir, "a.txt", "mine")
			write(t, dir, "new/b.txt", "new")
			want := stateOf(t, dir)
			before := taken(t, s, tree0(dir))
			run(t, dir, "reset", "-q", "--hard")
			run(t, dir, "clean", "-q", "-fd")
			restore(t, s, before, after(t, s, before))
			if diff := cmp.Diff(want, stateOf(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestUndoLinks checks that a restore writes nothing through a link that was put in the
// place of a directory.
func TestUndoLinks(t *testing.T) {
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	outside := t.TempDir()
	write(t, outside, "f", "theirs")
	write(t, dir, "keep/f", "other")
	write(t, dir, "sub/f", "mine")
	before := taken(t, s, paths0("sub")(dir))
	for _, to := range []string{outside, "keep"} {
		if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, "sub")); err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(t.Context(), before, nil, time.Time{}, "undo_2")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(t.Context(), p); err == nil {
			t.Error("it was restored")
		}
		for name, want := range map[string]string{
			filepath.Join(outside, "f"):  "theirs",
			filepath.Join(dir, "keep/f"): "other",
		} {
			if got, _ := os.ReadFile(name); string(got) != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// TestHostile checks that a snapshot of a hostile repository, and its restoring,
// run no program that the repository names.
func TestHostile(t *testing.T) {
	gitrepo.Parallel(t)
	gitrepo.EachHostile(t, undone)
}

// undone takes a snapshot of a hostile repository and restores it, with tracked and with
// untracked files.
func undone(t *testing.T, dir string) {
	t.Helper()
	s := snapshots(t)
	before := taken(t, s, append(ignored0(dir), undo.Loss{Dir: dir, Ref: "*"}, undo.Loss{Dir: dir, Stashes: true}))
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	p := restore(t, s, before, nil)
	if raw, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(raw) != "six\n" {
		t.Errorf("a.txt: %q", raw)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.txt")); err != nil && len(p.Left) == 0 {
		t.Errorf("b.txt is not back, and nobody says so: %s", p.Did())
	}
	if err := s.Forget(t.Context(), before.Scope.Root, "undo_1"); err != nil {
		t.Fatal(err)
	}
}
