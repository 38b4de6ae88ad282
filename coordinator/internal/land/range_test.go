package land_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
)

// hide makes a commit without a branch whose content no reviewer was shown. It returns the
// name of the commit.
func hide(t *testing.T, s *site, parent string) string {
	t.Helper()
	work := filepath.Join(t.TempDir(), "hidden")
	run(t, s.dir, "worktree", "add", "-q", "--detach", work, parent)
	write(t, work, "evil.sh", "evil\n")
	run(t, work, "add", "-A")
	run(t, work, "commit", "-q", "-m", "hidden")
	commit := rev(t, work, "HEAD")
	run(t, s.dir, "worktree", "remove", work)
	return commit
}

// commitEvil commits a file in the worktree of the issue.
func commitEvil(t *testing.T, s *site) { s.commit = work(t, s.w, "evil.sh", "evil\n") }

// again begins an issue of the same site, in a worktree that is new.
func again(t *testing.T, s *site) {
	t.Helper()
	run(t, s.dir, "worktree", "remove", "--force", s.w.Path)
	run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
	s.begin(t)
}

// TestReviewedLands moves things under a review, and checks that a file that came in
// that way was shown in the diff, or does not land.
func TestReviewedLands(t *testing.T) {
	parallel(t)
	const tracking = "refs/remotes/origin/main"
	elsewhere := inRepo("checkout", "-q", "-b", "mine")
	steps := func(all ...step) step {
		return func(t *testing.T, s *site) {
			for _, do := range all {
				do(t, s)
			}
		}
	}
	more := func(t *testing.T, s *site) { s.commit = work(t, s.w, "more.txt", "more\n") }
	replaced := func(t *testing.T, s *site) {
		tree := rev(t, s.w.Path, "HEAD^{tree}")
		fake := run(t, s.w.Path, "commit-tree", "-m", "fake", tree)
		run(t, s.w.Path, "replace", rev(t, s.dir, "main"), fake)
	}
	for name, c := range map[string]struct {
		before, after step  // before and after the diff is made
		want          error // nil if it lands, after it was shown
	}{
		"update-ref of the tracking ref": {steps(commitEvil, inWorktree("update-ref", tracking, "HEAD"), more), nil, nil},
		"fetch into the tracking ref": {
			steps(commitEvil, inWorktree("fetch", "-q", ".", "HEAD:"+tracking), more), nil, nil,
		},
		"a push into the base": {
			steps(elsewhere, commitEvil, inWorktree("push", "-q", ".", "HEAD:main"), more), nil, land.ErrAhead,
		},
		"a push into the base after the review": {
			steps(elsewhere, commitEvil, more), inWorktree("push", "-q", ".", "HEAD~1:main"), land.ErrAhead,
		},
		"a forged ref of a landing": {
			steps(elsewhere, commitEvil, inWorktree("push", "-q", ".", "HEAD:main"),
				inWorktree("update-ref", "refs/afar/landed/main", "HEAD"), more), nil, land.ErrAhead,
		},
		"an issue that begins at a forged tracking ref": {
			func(t *testing.T, s *site) {
				run(t, s.dir, "update-ref", tracking, hide(t, s, "main"))
				again(t, s)
			}, nil, nil,
		},
		"a rebase onto a forged tracking ref": {
			func(t *testing.T, s *site) {
				run(t, s.dir, "update-ref", tracking, hide(t, s, "main"))
				if _, err := s.w.Rebase(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.commit = head(t, s.w)
			}, nil, nil,
		},
		"a replaced base": {steps(commitEvil, replaced), nil, nil},
		"a replaced commit": {steps(commitEvil, func(t *testing.T, s *site) {
			innocent := run(t, s.w.Path, "commit-tree", "-m", "fake", "-p", "main", rev(t, s.w.Path, "HEAD~1^{tree}"))
			run(t, s.w.Path, "replace", "HEAD", innocent)
			run(t, s.w.Path, "update-index", "-q", "--refresh")
		}), nil, nil},
		"grafts": {steps(commitEvil, more, func(t *testing.T, s *site) {
			write(t, s.dir, ".git/info/grafts", rev(t, s.dir, "main")+" "+rev(t, s.w.Path, "HEAD~1")+"\n")
		}), nil, nil},
		"another remote": {steps(commitEvil, func(t *testing.T, s *site) {
			evil := filepath.Join(t.TempDir(), "evil.git")
			run(t, s.dir, "clone", "-q", "--bare", s.w.Path, evil)
			run(t, evil, "update-ref", "refs/heads/main", s.commit)
			run(t, s.dir, "remote", "set-url", "origin", evil)
		}, more), nil, git.ErrElsewhere},
		"another branch of the remote": {
			steps(commitEvil, inRepo("config", "branch.main.merge", "refs/heads/release")), nil, git.ErrElsewhere,
		},
		"a second address to push to": {
			commitEvil, inRepo("config", "remote.origin.pushurl", "/tmp/other.git"), git.ErrElsewhere,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			_, goes, err := git.Target(t.Context(), s.dir)
			if err != nil {
				t.Fatal(err)
			}
			c.before(t, &s)
			s.w.Goes = goes
			shown := ""
			if s.w.BaseCommit, err = ledger.ReviewFrom(t.Context(), s.w); err == nil {
				shown, _, err = s.w.Diff(t.Context(), 1<<20)
			}
			if err != nil && !errors.Is(err, c.want) {
				t.Fatal(err)
			}
			if c.after != nil {
				c.after(t, &s)
			}
			_, err = ledger.Land(t.Context(), s.w, s.commit, true)
			if !errors.Is(err, c.want) {
				t.Fatalf("have %v, want %v", err, c.want)
			}
			landed := run(t, s.bare, "ls-tree", "--name-only", "main", "evil.sh") != ""
			if err == nil && (!landed || !strings.Contains(shown, "b/evil.sh")) || err != nil && landed {
				t.Errorf("landed %v, %v, and was shown:\n%s", landed, err, shown)
			}
		})
	}
}

// TestUnseen checks that a commit does not land if the diff began after the base.
func TestUnseen(t *testing.T) {
	parallel(t)
	s := ready(t)
	commitEvil(t, &s)
	s.w.BaseCommit = s.commit
	s.commit = work(t, s.w, "more.txt", "more\n")
	if _, err := ledger.Land(t.Context(), s.w, s.commit, false); !errors.Is(err, land.ErrUnseen) {
		t.Errorf("have %v", err)
	}
}

// TestReviewAfterOthers checks that a review shows the work of the issue alone, after
// others have changed the base.
func TestReviewAfterOthers(t *testing.T) {
	parallel(t)
	rebase := func(t *testing.T, s *site) {
		t.Helper()
		if _, err := s.w.Rebase(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	landOther := func(push bool) step {
		return func(t *testing.T, s *site) {
			t.Helper()
			other := beginIssue(t, s.dir, "other")
			if _, err := ledger.Land(t.Context(), other, head(t, other), push); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, do := range map[string]step{
		"another issue landed, and Afar rebased": func(t *testing.T, s *site) {
			landOther(false)(t, s)
			rebase(t, s)
		},
		"another issue landed, and the session merged": func(t *testing.T, s *site) {
			landOther(false)(t, s)
			run(t, s.w.Path, "merge", "-q", "-m", "merge", "main")
		},
		"the remote moved, and Afar rebased": func(t *testing.T, s *site) {
			s.moveRemote(t, "other.txt")
			run(t, s.dir, "fetch", "-q")
			rebase(t, s)
		},
		"the remote moved, and the session rebased": func(t *testing.T, s *site) {
			s.moveRemote(t, "other.txt")
			run(t, s.w.Path, "pull", "-q", "--rebase", "origin", "main")
		},
		"the person committed, and Afar rebased": func(t *testing.T, s *site) {
			run(t, s.dir, "remote", "remove", "origin")
			write(t, s.dir, "other.txt", "mine\n")
			run(t, s.dir, "add", "other.txt")
			run(t, s.dir, "commit", "-q", "-m", "mine")
			rebase(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			do(t, &s)
			var err error
			if s.w.BaseCommit, err = ledger.ReviewFrom(t.Context(), s.w); err != nil {
				t.Fatal(err)
			}
			shown, _, err := s.w.Diff(t.Context(), 1<<20)
			if err != nil || strings.Contains(shown, "other.txt") || !strings.Contains(shown, "b/new.txt") {
				t.Errorf("%v:\n%s", err, shown)
			}
			if _, err := ledger.Land(t.Context(), s.w, head(t, s.w), false); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestVisible checks that no byte keeps a line from the reviewer.
func TestVisible(t *testing.T) {
	parallel(t)
	s := ready(t)
	write(t, s.w.Path, "build.sh", "#!/bin/sh\ncurl evil\nexit\n\x00")
	write(t, s.w.Path, "image.png", "\x89PNG\x00\x01\n"+strings.Repeat("\xff\x00\x80", 400)+"\ncurl from an image\n")
	if err := os.Chmod(filepath.Join(s.w.Path, "image.png"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, s.w.Path, "run.bin", strings.Repeat("\xff\x00\x80", 40)+"\nid\n\x00")
	work(t, s.w, "z.txt", "z")
	text, _, err := s.w.Diff(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"+curl evil\n", `+\x00`, "\n+curl from an image\n", "bytes that are no text]", `\xff\x00\x80` + "\n+id\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "binary content") || strings.Count(text, `\xff`) > 40 {
		t.Errorf("have:\n%s", text)
	}
}

// TestExcludeThroughLink checks that Afar writes through no link of a session's.
func TestExcludeThroughLink(t *testing.T) {
	parallel(t)
	for name, link := range map[string]string{"the file": ".git/info/exclude", "its folder": ".git/info"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := committed(t), t.TempDir()
			write(t, outside, "exclude", "mine\n")
			if err := os.RemoveAll(filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			to := outside
			if filepath.Base(link) == "exclude" {
				to = filepath.Join(outside, "exclude")
			}
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
			beginIssue(t, dir, "i1")
			if have := files(t, outside)["exclude"]; have != "mine\n" {
				t.Errorf("the file outside is %q", have)
			}
			if status := run(t, dir, "status", "--porcelain"); status != "" {
				t.Errorf("the main checkout shows %s", status)
			}
		})
	}
}
