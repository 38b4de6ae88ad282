package git

import (
	"context"
	"errors"
	"fmt"
)

// Rebase puts the branch onto the base as it is now, or onto its remote where
// that is further on, and returns the new head. The worktree must be clean
// (ErrNotClean). At a contradiction the worktree is as it was before, and
// ErrConflict names the files.
func (w Worktree) Rebase(ctx context.Context) (string, error) {
	h, err := hand{dir: w.Repo}.hold(ctx)
	if err != nil {
		return "", err
	}
	defer h.held.release()
	commit, err := w.rebase(ctx, h)
	if err != nil {
		return "", fmt.Errorf("rebase %s onto %s: %w", w.Branch, w.Base, err)
	}
	return commit, nil
}

func (w Worktree) rebase(ctx context.Context, h hand) (string, error) {
	if err := errors.Join(w.ours(ctx, h), w.clean(ctx, h)); err != nil {
		return "", err
	}
	b, err := h.base(ctx, w.Base)
	if err != nil {
		return "", err
	}
	onto, err := h.start(ctx, b)
	if err != nil {
		return "", err
	}
	at := h.in(w.Path)
	head, err := at.line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return "", err
	}
	if there, err := at.within(ctx, onto, head); err != nil || there {
		return head, err
	}
	if err := at.room(ctx, head, onto); err != nil {
		return "", err
	}
	if _, err := at.run(ctx, rebasing(onto)...); err != nil {
		return "", at.giveUp(context.WithoutCancel(ctx), err)
	}
	return at.line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
}

// rebasing is the command, whatever the person's settings say of rebases.
func rebasing(onto string) []string {
	return []string{
		"-c", "rebase.updateRefs=false", "-c", "rebase.missingCommitsCheck=ignore", "-c", "rebase.rebaseMerges=false", "-c", "rebase.instructionFormat=", "-c", "rebase.forkPoint=false",
		"rebase", "-q", "--no-autostash", "--no-autosquash", "--no-fork-point", "--no-verify", "--no-stat", onto,
	}
}

// giveUp ends a rebase that failed and puts everything back.
func (h hand) giveUp(ctx context.Context, why error) error {
	out, err := h.run(ctx, "diff", "--name-only", "-z", "--diff-filter=U", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return errors.Join(why, err)
	}
	var files []string
	for _, r := range records(out) {
		files = append(files, string(r))
	}
	if _, err := h.run(ctx, "rebase", "--abort"); err != nil {
		return errors.Join(why, err)
	}
	if len(files) > 0 {
		return fmt.Errorf("%w: %s", ErrConflict, someNames(files))
	}
	return why
}
