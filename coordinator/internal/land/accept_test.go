package land_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/land"
)

// TestLands lands in situations that are no reason to refuse, and checks that the
// person's files stay as they were.
func TestLands(t *testing.T) {
	parallel(t)
	for _, c := range []struct {
		name  string
		do    step
		push  bool
		where func(s *site) string // the checkout that gets the commit; nil for none
	}{
		{"in the main checkout", func(*testing.T, *site) {}, false, main},
		{"and pushed", func(*testing.T, *site) {}, true, main},
		{"next to files that are not tracked", func(t *testing.T, s *site) {
			write(t, s.dir, "mine.txt", "mine")
			write(t, s.dir, "deep.log", "ignored")
			write(t, s.dir, "deep/er/mine.txt", "mine")
			write(t, s.dir, "build/new.txt", "ignored")
		}, false, main},
		{"where nothing is checked out", inRepo("checkout", "-q", "-b", "mine"), false, nil},
		{"where HEAD is a commit", inRepo("checkout", "-q", "--detach"), true, nil},
		{"over changes of another branch", func(t *testing.T, s *site) {
			run(t, s.dir, "checkout", "-q", "-b", "mine")
			write(t, s.dir, "a.txt", "mine")
			write(t, s.dir, "new.txt", "mine")
		}, false, nil},
		{"in a linked worktree", func(t *testing.T, s *site) {
			run(t, s.dir, "checkout", "-q", "-b", "mine")
			write(t, s.dir, "a.txt", "mine")
			run(t, s.dir, "worktree", "add", "-q", s.dir+"-main\n", "main")
		}, false, func(s *site) string { return s.dir + "-main\n" }},
		{"where only the remote has the base", func(t *testing.T, s *site) {
			run(t, s.dir, "remote", "set-head", "origin", "main")
			run(t, s.dir, "checkout", "-q", "-b", "mine")
			run(t, s.dir, "branch", "-q", "-D", "main")
		}, true, nil},
		{"while the remote is gone", inRepo("remote", "set-url", "origin", "/none.git"), false, main},
		{"without a remote", inRepo("remote", "remove", "origin"), false, main},
		{"where the remote refuses, without push", func(t *testing.T, s *site) {
			write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\nexit 1")
		}, false, main},
		{"where the remote has it already", inWorktree("push", "-q", "origin", "HEAD:main"), true, main},
		{"behind the remote", func(t *testing.T, s *site) {
			s.moveRemote(t, "r.txt")
			run(t, s.dir, "fetch", "-q", "origin")
			if _, err := s.w.Rebase(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.commit = head(t, s.w)
		}, true, main},
		{"over an unpushed landing", func(t *testing.T, s *site) {
			s.landUnpushed(t)
		}, false, main},
		{"over an unpushed landing, with push", func(t *testing.T, s *site) { s.landUnpushed(t) }, true, main},
		{"over an unpushed landing, and the remote moved", func(t *testing.T, s *site) {
			s.landUnpushed(t)
			s.moveRemote(t, "r.txt")
		}, false, main},
		{"despite settings that change the commands", func(t *testing.T, s *site) {
			for _, v := range [][2]string{
				{"merge.ff", "false"},
				{"branch.main.mergeOptions", "--no-ff --squash"},
				{"merge.autoStash", "true"},
				{"status.showUntrackedFiles", "no"},
				{"push.followTags", "true"},
				{"color.ui", "always"},
				{"diff.ignoreSubmodules", "all"},
				{"core.pager", "false"},
				{"push.default", "nothing"},
				{"diff.noprefix", "true"},
				{"core.quotePath", "true"},
			} {
				run(t, s.dir, "config", v[0], v[1])
			}
			run(t, s.dir, "tag", "-a", "-m", "x", "v1")
		}, true, main},
		{"despite hooks", func(t *testing.T, s *site) {
			for _, hook := range []string{
				"pre-push", "post-merge", "post-checkout", "reference-transaction", "pre-merge-commit",
			} {
				write(t, s.dir, ".git/hooks/"+hook, "#!/bin/sh\ntouch "+s.dir+"-hooked\nexit 1\n")
			}
		}, true, main},
		{"in a sparse checkout", func(t *testing.T, s *site) {
			run(t, s.dir, "sparse-checkout", "set", "--no-cone", "/a.txt", "/.gitignore")
		}, false, func(s *site) string { return s.dir }},
		{"next to a submodule at another commit", submodule, false, main},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			c.do(t, &s)
			before := files(t, s.dir)
			l, err := ledger.Land(t.Context(), s.w, s.commit, c.push)
			if err != nil {
				t.Fatal(err)
			}
			want := land.Result{Commit: s.commit, Pushed: c.push}
			if c.where != nil {
				want.Checkout = c.where(&s)
			}
			if l != want {
				t.Errorf("have %+v", l)
			}
			if rev(t, s.dir, "main") != s.commit || c.push && rev(t, s.bare, "main") != s.commit {
				t.Error("the commit did not land")
			}
			if c.push && run(t, s.bare, "tag") != "" {
				t.Error("a tag was pushed too")
			}
			s.checkOwnFiles(t, before, l.Checkout)
			if _, err := os.Stat(s.dir + "-hooked"); err == nil {
				t.Error("a hook ran")
			}
		})
	}
}

func main(s *site) string { return s.dir }

// checkOwnFiles compares the person's checkout with its files before. Only the files that
// the branch changes may differ, and only in the checkout of the base.
func (s site) checkOwnFiles(t *testing.T, before map[string]string, checkout string) {
	t.Helper()
	after := files(t, s.dir)
	if checkout == s.dir {
		for _, name := range strings.Split(run(t, s.dir, "diff", "--name-only", "ORIG_HEAD", s.commit), "\n") {
			delete(before, name)
			delete(after, name)
		}
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%q was %q and is %q", name, text, after[name])
		}
	}
	if checkout == "" {
		return
	}
	for line := range strings.Lines(run(t, checkout, "status", "--porcelain", "--untracked-files=no")) {
		if !strings.Contains(line, "sub") {
			t.Errorf("the checkout has the change %s", line)
		}
	}
}

// submodule adds a submodule to the base, and checks out another commit of it.
func submodule(t *testing.T, s *site) {
	t.Helper()
	run(t, s.dir, "worktree", "remove", "--force", s.w.Path)
	run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
	lib := committed(t)
	run(t, s.dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "sub")
	run(t, s.dir, "commit", "-q", "-m", "a submodule")
	run(t, s.dir, "push", "-q", "origin", "main")
	run(t, filepath.Join(s.dir, "sub"), "commit", "-q", "--allow-empty", "-m", "not of the base")
	write(t, filepath.Join(s.dir, "sub"), "mine.txt", "mine")
	s.begin(t)
}

// TestLarge checks that filtered files are right in every checkout, and that git-lfs
// pushes its files before the commit is pushed.
func TestLarge(t *testing.T) {
	unraced(t)
	s := ready(t)
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	write(t, bin, "git-lfs", "#!/bin/sh\necho \"$@\" >>"+log+"\ncat >>"+log+"\n")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	run(t, s.dir, "config", "filter.lfs.clean", "tr a-z A-Z")
	run(t, s.dir, "config", "filter.lfs.smudge", "tr A-Z a-z")
	run(t, s.dir, "config", "filter.lfs.required", "true")
	write(t, s.w.Path, ".gitattributes", "*.bin filter=lfs\n")
	write(t, s.w.Path, "x.bin", "large\n")
	var err error
	if s.commit, err = s.w.Commit(t.Context(), "large", ".gitattributes", "x.bin"); err != nil {
		t.Fatal(err)
	}
	if text := run(t, s.w.Path, "cat-file", "blob", "HEAD:x.bin"); text != "LARGE" {
		t.Errorf("stored as %q", text)
	}
	if _, err := ledger.Land(t.Context(), s.w, s.commit, true); err != nil {
		t.Fatal(err)
	}
	if files(t, s.dir)["x.bin"] != "large\n" {
		t.Error("the file was checked out unfiltered")
	}
	have, err := os.ReadFile(log)
	want := "pre-push origin " + s.bare + "\n" +
		"refs/heads/afar/issue/i1 " + s.commit + " refs/heads/main " + s.w.BaseCommit + "\n"
	if err != nil || string(have) != want {
		t.Errorf("git-lfs got %q, %v; want %q", have, err, want)
	}
}
