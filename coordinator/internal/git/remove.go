package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Remove deletes the worktree, with its ignored files, and the branch. The worktree
// must be clean, else the error is ErrNotClean. The base must contain the branch,
// else it is ErrNotMerged. Removing a worktree that is already gone succeeds.
func (w Worktree) Remove(ctx context.Context) error {
	r, err := w.Begin(ctx)
	if err != nil {
		return err
	}
	defer r.Unlock()
	if err := w.remove(ctx, r); err != nil {
		return fmt.Errorf("remove the worktree %s: %w", w.Path, err)
	}
	return nil
}

// Removable returns the error that Remove would return for the work in the worktree:
// ErrNotClean or ErrNotMerged.
func (w Worktree) Removable(ctx context.Context) error {
	r := Trusted(w.Repo)
	if _, err := w.merged(ctx, r); err != nil {
		return err
	}
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return w.CheckClean(ctx, r)
}

func (w Worktree) remove(ctx context.Context, r Repo) error {
	tip, err := w.merged(ctx, r)
	if err != nil {
		return err
	}
	if err := w.sweep(ctx, r); err != nil {
		return err
	}
	if err := w.putAside(ctx, r); err != nil {
		return err
	}
	if err := w.forget(ctx, r); err != nil {
		return err
	}
	if err := os.RemoveAll(w.aside()); err != nil || tip == "" {
		return err
	}
	return w.deleteBranch(ctx, r, tip)
}

// merged returns the tip of the branch, "" if the branch is gone. If the base does
// not contain the tip, the error is ErrNotMerged.
func (w Worktree) merged(ctx context.Context, r Repo) (string, error) {
	tip, err := r.Resolve(ctx, Heads+w.Branch)
	if err != nil {
		return "", err
	}
	in, err := r.IsAncestor(ctx, tip, Heads+w.Base)
	if err == nil && !in {
		err = ErrNotMerged
	}
	return tip, err
}

// aside returns the path of a worktree that is being deleted. No id makes such a
// name.
func (w Worktree) aside() string {
	return filepath.Join(filepath.Dir(w.Path), ".removed-"+filepath.Base(w.Path))
}

// putAside renames the worktree and then checks again that it is clean, because
// somebody may have written there meanwhile. Nothing is deleted before that. If the
// process dies in between, the whole worktree is left, under one of the two names.
func (w Worktree) putAside(ctx context.Context, r Repo) error {
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.Verify(ctx, r); err != nil {
		return err
	}
	if err := w.CheckClean(ctx, r); err != nil {
		return err
	}
	if err := r.In(w.Path).removable(ctx); err != nil {
		return err
	}
	if err := os.Rename(w.Path, w.aside()); err != nil {
		return err
	}
	return w.lookAgain(ctx, r)
}

// lookAgain checks that a worktree that was put aside is clean. If it is not,
// lookAgain moves it back and returns an error.
func (w Worktree) lookAgain(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return err
	}
	r.env = slices.Concat(r.env, []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + w.aside()})
	changes, err := r.Changes(ctx)
	if err = cmp.Or(err, checkNone(changes)); err != nil {
		err = errors.Join(err, os.Rename(w.aside(), w.Path))
	}
	return err
}

// sweep completes a removal that was interrupted.
func (w Worktree) sweep(ctx context.Context, r Repo) error {
	if _, err := os.Lstat(w.aside()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(w.Path); errors.Is(err, fs.ErrNotExist) {
		if err := w.lookAgain(ctx, r); err != nil {
			return err
		}
	}
	return os.RemoveAll(w.aside())
}

// removable returns an error if somebody locked the worktree, or if it contains
// submodules or other repositories: their commits may exist nowhere else.
func (r Repo) removable(ctx context.Context) error {
	own, err := r.GitDir(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(own, "locked")); err == nil {
		return fmt.Errorf("%w: somebody locked the worktree, see git worktree unlock", ErrInTheWay)
	}
	if subs, _ := os.ReadDir(filepath.Join(own, "modules")); len(subs) > 0 {
		return fmt.Errorf("%w: it has submodules of its own", ErrNotClean)
	}
	out, err := r.Run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	for _, path := range Records(out) {
		if name := strings.TrimSuffix(path, "/"); IsRepository(filepath.Join(r.Dir, name)) {
			return fmt.Errorf("%w: %s is a repository of its own", ErrNotClean, name)
		}
	}
	return err
}

// deleteBranch deletes the branch if it is still at tip.
func (w Worktree) deleteBranch(ctx context.Context, r Repo, tip string) error {
	if err := w.notElsewhere(ctx, r); err != nil {
		return err
	}
	if _, err := r.Run(ctx, "update-ref", "-d", Heads+w.Branch, tip); err != nil {
		return err
	}
	_, _ = r.Run(ctx, "config", "--remove-section", "branch."+w.Branch) // most branches have no section
	return nil
}

// notElsewhere returns an error if the branch is checked out anywhere. It is called
// while our worktree does not exist.
func (w Worktree) notElsewhere(ctx context.Context, r Repo) error {
	at, err := r.Line(ctx, "for-each-ref", "--format=%(worktreepath)", Heads+w.Branch)
	if err == nil && at != "" {
		err = fmt.Errorf("%w: %s is checked out in %s", ErrInTheWay, w.Branch, at)
	}
	return err
}

// admin returns the directory that git keeps for the worktree, "" if there is none.
func (w Worktree) admin(ctx context.Context, r Repo) (string, error) {
	dirs, err := r.Checkouts(ctx)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs[1:] {
		text, _ := os.ReadFile(filepath.Join(dir, "gitdir"))
		at := strings.TrimSuffix(string(text), "\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if filepath.Clean(at) == filepath.Join(w.Path, ".git") {
			return dir, nil
		}
	}
	return "", nil
}

// forget removes git's data about this worktree, whose directory is gone. It does
// not prune other worktrees: they may be on a disk that is not mounted.
func (w Worktree) forget(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return err
	}
	if isHalfMade(admin) {
		return os.RemoveAll(admin) // it contains no work
	}
	if _, err = r.Run(ctx, "worktree", "remove", "--force", w.Path); err != nil {
		err = fmt.Errorf("%w: %w", ErrInTheWay, err) // somebody locked it
	}
	return err
}
