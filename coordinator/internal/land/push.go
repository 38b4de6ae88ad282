package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// fetch fetches the base from its remote. If another loop fetches at the same time,
// git fails for one of them. So fetch tries again as long as the tracking ref keeps
// changing.
func fetch(ctx context.Context, r git.Repo, b git.Base) error {
	if b.Remote == "" {
		return nil
	}
	for seen := b.Theirs; ; {
		_, err := r.Call(ctx, git.Call{Limit: git.FetchLimit, Unlocked: true},
			"fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules",
			"--end-of-options", b.Remote, "+"+b.Ref+":"+b.Tracking)
		if err == nil {
			return nil
		}
		now, _ := r.Resolve(ctx, b.Tracking)
		if now == seen {
			return err
		}
		seen = now
	}
}

// pushCommit pushes the commit to the remote, unless the remote has it.
func (l *landing) pushCommit(ctx context.Context) error {
	if l.base.Remote == "" {
		return fmt.Errorf("%w: there is no remote", ErrPush)
	}
	if l.base.Theirs == "" { // a push would send all the person's commits of the base
		return fmt.Errorf(
			"%w: %s has no branch %s that we know of; push it once yourself",
			ErrPush, l.base.Remote, l.base.Name,
		)
	}
	hasCommit, err := l.repo.IsAncestor(ctx, l.done.Commit, l.base.Theirs)
	if err != nil {
		return err
	}
	if !hasCommit {
		err = l.pushObjects(ctx)
	}
	if err != nil {
		err = l.explainRefusal(ctx, err)
	}
	l.done.Pushed = err == nil
	return err
}

// pushLanded pushes a commit that has already landed in the base, if a push is
// wanted.
func (l *landing) pushLanded(ctx context.Context) error {
	if !l.push {
		return nil
	}
	if l.base.Theirs != "" {
		if err := l.checkPushed(ctx, l.done.Commit); err != nil {
			return err
		}
	}
	return l.pushCommit(ctx)
}

// pushObjects pushes the commit, after the files of git-lfs that it needs.
func (l *landing) pushObjects(ctx context.Context) error {
	if err := l.pushLargeFiles(ctx); err != nil {
		return err
	}
	_, err := l.repo.Call(
		ctx, git.Call{Limit: git.PushLimit, Unlocked: true}, "push", "-q", "--no-verify", "--no-follow-tags",
		"--end-of-options", l.base.Remote, l.done.Commit+":"+l.base.Ref,
	)
	return err
}

// explainRefusal fetches from the remote after a failed push. It returns nil if the
// remote has the commit, which an earlier push may have brought there. Else it
// returns ErrDiverged if the remote has moved, and ErrPush if it has not.
func (l *landing) explainRefusal(ctx context.Context, why error) error {
	refused := fmt.Errorf("%w: %w", ErrPush, why)
	if fetch(ctx, l.repo, l.base) != nil {
		return refused
	}
	now, _ := l.repo.Resolve(ctx, l.base.Tracking)
	if hasCommit, _ := l.repo.IsAncestor(ctx, l.done.Commit, now); hasCommit {
		return nil
	}
	if err := l.checkContains(ctx, now); errors.Is(err, ErrDiverged) {
		return fmt.Errorf("%w, at %s", err, l.base.Remote)
	}
	return refused
}

// pushLargeFiles pushes the files of git-lfs. Without them nobody could check out the
// commit. The hook of git-lfs would push them, but hooks do not run.
func (l *landing) pushLargeFiles(ctx context.Context) error {
	r := l.repo
	if _, err := os.Lstat(l.Path); err == nil {
		r = r.In(l.Path) // it has the attributes of the commit
	}
	names, err := r.Run(
		ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AM", l.base.Theirs,
		l.done.Commit,
	)
	if err != nil {
		return err
	}
	out, err := r.Call(ctx, git.Call{In: names}, "check-attr", "-z", "--stdin", "filter")
	if err != nil || !hasLargeFiles(out) {
		return err
	}
	url, err := r.Line(ctx, "remote", "get-url", "--push", l.base.Remote)
	if err != nil {
		return err
	}
	update := fmt.Sprintf("%s %s %s %s\n", git.Heads+l.Branch, l.done.Commit, l.base.Ref, l.base.Theirs)
	_, err = r.Call(ctx, git.Call{In: []byte(update), Unlocked: true}, "lfs", "pre-push", l.base.Remote, url)
	return err
}

// hasLargeFiles reports whether the output of git check-attr -z names a file with the
// filter lfs. The output holds path, attribute and value, each ended by NUL.
func hasLargeFiles(out []byte) bool {
	for attr := range slices.Chunk(git.Records(out), 3) {
		if slices.Equal(attr[1:], []string{"filter", "lfs"}) {
			return true
		}
	}
	return false
}
