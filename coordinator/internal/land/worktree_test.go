package land_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// TestRemove checks that a worktree is removed only if no work is lost.
func TestRemove(t *testing.T) {
	parallel(t)
	for _, c := range []struct {
		name string
		do   step
		want error
	}{
		{"landed", func(*testing.T, *site) {}, nil},
		{"with ignored files", writeWork("build/x", "x"), nil},
		{"untracked", writeWork("left", "x"), git.ErrNotClean},
		{"modified", writeWork("a.txt", "x"), git.ErrNotClean},
		{"staged", func(t *testing.T, s *site) {
			write(t, s.w.Path, "x", "x")
			run(t, s.w.Path, "add", "x")
		}, git.ErrNotClean},
		{"one more commit", commitWork("x", "x"), git.ErrNotMerged},
		{"an ignored repository", inWorktree("init", "-q", "build"), git.ErrNotClean},
		{"an untracked file that a setting hides", func(t *testing.T, s *site) {
			run(t, s.dir, "config", "status.showUntrackedFiles", "no")
			write(t, s.w.Path, "left", "x")
		}, git.ErrNotClean},
		{"the directory is gone", func(t *testing.T, s *site) { _ = os.RemoveAll(s.w.Path) }, nil},
		{"the directory is gone, with one more commit", func(t *testing.T, s *site) {
			work(t, s.w, "x", "x")
			_ = os.RemoveAll(s.w.Path)
		}, git.ErrNotMerged},
		{"the branch is gone", func(t *testing.T, s *site) {
			run(t, s.w.Path, "checkout", "-q", "--detach")
			run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
		}, git.ErrInTheWay},
		{"locked by the person", inWorktree("worktree", "lock", "."), git.ErrInTheWay},
		{"a remote knows the branch", inWorktree("push", "-q", "-u", "origin", "HEAD"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ready(t)
			if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
				t.Fatal(err)
			}
			c.do(t, &s)
			before, tip := files(t, s.w.Path), run(t, s.dir, "for-each-ref", "refs/heads")
			for range 2 {
				if err := s.w.Remove(t.Context()); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Fatal(err)
				}
			}
			_, err := os.Stat(s.w.Path)
			if c.want == nil {
				left := run(t, s.dir, "for-each-ref", "refs/heads") +
					run(t, s.dir, "worktree", "list") +
					run(t, s.dir, "config", "-l")
				if err == nil || strings.Contains(left, "issue/i1") {
					t.Errorf("left: %s", left)
				}
			} else {
				if diff := cmp.Diff(before, files(t, s.w.Path)); diff != "" {
					t.Errorf("the worktree changed: %s", diff)
				}
				if now := run(t, s.dir, "for-each-ref", "refs/heads"); now != tip {
					t.Errorf("the branches were %s and are %s", tip, now)
				}
			}
			if rest, _ := filepath.Glob(s.dir + "/.worktrees/afar/.removed-*"); len(rest) > 0 {
				t.Errorf("left: %q", rest)
			}
		})
	}
}

func TestDiff(t *testing.T) {
	parallel(t)
	s := ready(t)
	write(t, s.w.Path, ".gitattributes", "*.go -diff\n*.txt binary\n*.md diff=x\n")
	run(t, s.dir, "config", "diff.x.textconv", "true")
	run(t, s.dir, "config", "diff.noprefix", "true")
	write(t, s.w.Path, "hidden.go", "package hidden\n")
	write(t, s.w.Path, "read.md", "what is said\n")
	write(t, s.w.Path, "image.png", "\x89PNG\x00\x01\n\xff")
	write(t, s.w.Path, "odd.c", "caf\xe9\n")
	s.commit = work(t, s.w, "z.txt", strings.Repeat("a line\n", 100))
	text, cut, err := s.w.Diff(t.Context(), 1<<20)
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	for _, want := range []string{
		"+package hidden",
		"+what is said",
		"+changed",
		"deleted file mode",
		"b/image.png\nnew file mode 100755",
		`+\x89PNG\x00\x01` + "\n" + `+\xff`,
		"+caf\uFFFD",
		"+a line",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	short, cut, err := s.w.Diff(t.Context(), 500)
	if err != nil || !cut || len(short) > 500 || !strings.HasPrefix(text, short) || !strings.HasSuffix(short, "\n") {
		t.Errorf("cut %v: %v: %s", cut, err, short)
	}
}

// TestCommit checks that a commit has the named paths and nothing else.
func TestCommit(t *testing.T) {
	parallel(t)
	s := ready(t)
	ctx := t.Context()
	write(t, s.w.Path, "a.txt", "again\n")
	write(t, s.w.Path, "staged.txt", "of the model\n")
	run(t, s.w.Path, "add", "staged.txt")
	write(t, s.w.Path, "*.txt", "an odd name\n")
	if err := os.Rename(filepath.Join(s.w.Path, "new.txt"), filepath.Join(s.w.Path, "moved.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		commit, err := s.w.Commit(ctx, "#1 is closed", "new.txt", "moved.txt", "*.txt")
		if err != nil {
			t.Fatal(err)
		}
		have := run(t, s.w.Path, "show", "--no-renames", "--name-status", "--format=%s", commit)
		if have != "#1 is closed\n\nA\t*.txt\nA\tmoved.txt\nD\tnew.txt" {
			t.Errorf("have %s", have)
		}
	}
	status := run(t, s.w.Path, "status", "--porcelain") // run trims the first blank
	if status != "M a.txt\nA  staged.txt" {
		t.Errorf("left is %q", status)
	}
	for _, paths := range [][]string{nil, {"../x"}, {"/etc/passwd"}, {".git/config"}, {""}} {
		if _, err := s.w.Commit(ctx, "x", paths...); err == nil {
			t.Errorf("%q was committed", paths)
		}
	}
}

// TestLockWaits checks the error of a caller that waited too long for a repository.
func TestLockWaits(t *testing.T) {
	t.Parallel()
	s := ready(t)
	held := make(chan struct{})
	write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\ntouch held\nwhile [ ! -e go ]; do sleep 0.05; done\n")
	go func() {
		defer close(held)
		_, _ = ledger.Land(context.WithoutCancel(t.Context()), s.w, s.commit, true)
	}()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(s.bare, "held")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing is pushed")
		}
	}
	late := func(after time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		_, err := git.AddWorktree(ctx, s.dir, "i2", "")
		return err
	}
	err, atLock := error(nil), false
	for after := time.Second; !atLock && after < time.Minute; after *= 2 { // until it is enough to come to the lock
		err = late(after)
		atLock = strings.Contains(fmt.Sprint(err), "another loop")
	}
	if !atLock || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	write(t, s.bare, "go", "")
	<-held
	if _, err := git.AddWorktree(t.Context(), s.dir, "i2", ""); err != nil {
		t.Error(err)
	}
}
