package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Rebase rebases the branch onto the current base, or onto the remote's branch if
// that is ahead, and returns the new head. The worktree must be clean, else the
// error is ErrNotClean. After a conflict the worktree is as before; the error wraps
// ErrConflict and names the files.
//
// Rebase also moves BaseCommit to the new base, unless the branch held commits of that
// base before: a session may have put its own commits there.
func (w *Worktree) Rebase(ctx context.Context) (string, error) {
	r, err := w.Begin(ctx)
	if err != nil {
		return "", err
	}
	defer r.Unlock()
	commit, err := w.rebase(ctx, r)
	if err != nil {
		return "", fmt.Errorf("rebase %s onto %s: %w", w.Branch, w.Base, err)
	}
	return commit, nil
}

func (w *Worktree) rebase(ctx context.Context, r Repo) (string, error) {
	if err := w.Verify(ctx, r); err != nil {
		return "", err
	}
	if err := w.CheckClean(ctx, r); err != nil {
		return "", err
	}
	b, err := r.Base(ctx, w.Base)
	if err != nil {
		return "", err
	}
	onto, err := r.start(ctx, b)
	if err != nil {
		return "", err
	}
	at := r.In(w.Path)
	head, err := at.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	if there, err := at.IsAncestor(ctx, onto, head); err != nil || there {
		return head, err
	}
	if err := at.CheckRoom(ctx, head, onto); err != nil {
		return "", err
	}
	isNew, err := w.isNew(ctx, at, onto, head)
	if err != nil {
		return "", err
	}
	var why error
	err = w.withMark(ctx, r, onto, func() error {
		if _, why = at.Run(ctx, rebaseArgs(onto)...); why == nil || wasKilled(why) {
			return why
		}
		var err error
		why, err = at.abortRebase(context.WithoutCancel(ctx), why, head, onto)
		return err
	})
	if err != nil {
		err = errors.Join(err, w.settle(context.WithoutCancel(ctx), r))
	}
	if err := cmp.Or(err, why); err != nil {
		return "", err
	}
	if isNew {
		w.BaseCommit = onto
	}
	return at.Line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
}

// isNew reports whether the branch holds no commit of the base that is newer than the
// recorded one.
func (w Worktree) isNew(ctx context.Context, r Repo, onto, head string) (bool, error) {
	fork, err := r.fork(ctx, onto, head)
	if err != nil {
		return false, err
	}
	return r.IsAncestor(ctx, fork, w.BaseCommit)
}

// rebaseArgs returns the command with options that override the person's settings.
func rebaseArgs(onto string) []string {
	return []string{
		"rebase",
		"-q",
		"--no-autostash",
		"--no-autosquash",
		"--no-fork-point",
		"--no-verify",
		"--no-stat",
		onto,
	}
}

// abortRebase aborts a rebase that failed and restores the worktree. Its first
// result says why the rebase failed. The second one is not nil if something could
// not be restored; the caller then calls settle.
func (r Repo) abortRebase(ctx context.Context, why error, head, onto string) (error, error) {
	out, err := r.Run(ctx, "diff", "--name-only", "-z", "--diff-filter=U", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return why, err
	}
	if files := Records(out); len(files) > 0 {
		why = fmt.Errorf("%w: %s", ErrConflict, NameSome(files))
	}
	touched, err := r.rebasedPaths(ctx, head, onto)
	if err != nil {
		return why, err
	}
	if _, err := r.Run(ctx, "rebase", "--abort"); err != nil {
		return why, err
	}
	changes, err := r.Changes(ctx)
	for _, c := range changes {
		if c.Kind == '?' && sideOf(c.Path, touched) {
			err = errors.Join(err, os.Remove(filepath.Join(r.Dir, c.Path)))
		}
	}
	return why, err
}

// sideOf reports whether a path is a file that git made for one side of a conflict:
// <path>~<name of the side>. Git before 2.34 leaves such files behind.
func sideOf(path string, touched map[string]bool) bool {
	for i := range len(path) {
		if path[i] == '~' && touched[path[:i]] {
			return true
		}
	}
	return false
}
