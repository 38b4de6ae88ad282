package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Remove deletes the worktree and its branch. The worktree must be clean
// (ErrNotClean), and the base must have the branch (ErrNotMerged). Ignored files
// go with it. Removing what is gone already is no error.
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

// merged returns the tip of the branch, which the base has; "" where the branch
// is gone.
func (w Worktree) merged(ctx context.Context, r Repo) (string, error) {
	tip, err := r.Resolve(ctx, Heads+w.Branch)
	if err != nil || tip == "" {
		return "", err
	}
	in, err := r.IsAncestor(ctx, tip, Heads+w.Base)
	if err == nil && !in {
		err = ErrNotMerged
	}
	return tip, err
}

// aside is where a worktree waits for its end. No id makes such a name.
func (w Worktree) aside() string {
	return filepath.Join(filepath.Dir(w.Path), ".removed-"+filepath.Base(w.Path))
}

// putAside renames the worktree, in one step, and looks again before anything of
// it is deleted: somebody may have written there meanwhile. A removal that dies
// in between leaves a whole worktree, under one name or the other.
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

// lookAgain brings a worktree that was put aside back when it is not clean.
func (w Worktree) lookAgain(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return err
	}
	out, err := r.Call(ctx, Call{Env: []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + w.aside()}}, statusArgs()...)
	var changes []Change
	if err == nil {
		changes, err = parseStatus(out)
	}
	if err == nil && len(changes) > 0 {
		err = fmt.Errorf("%w: %s", ErrNotClean, NameChanges(changes))
	}
	if err != nil {
		err = errors.Join(err, os.Rename(w.aside(), w.Path))
	}
	return err
}

// sweep ends a removal that was cut off.
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

// removable reports an error where somebody locked the worktree, or where it
// holds repositories of its own: what is committed there is in no other place.
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

// deleteBranch deletes the branch where it still is at tip, which the base has.
func (w Worktree) deleteBranch(ctx context.Context, r Repo, tip string) error {
	if err := w.notElsewhere(ctx, r); err != nil {
		return err
	}
	if _, err := r.Run(ctx, "update-ref", "-d", Heads+w.Branch, tip); err != nil {
		return err
	}
	_, _ = r.Run(ctx, "config", "--remove-section", "branch."+w.Branch) // most have none
	return nil
}

// notElsewhere reports an error where the branch, which has no worktree of ours,
// is checked out.
func (w Worktree) notElsewhere(ctx context.Context, r Repo) error {
	at, err := r.Line(ctx, "for-each-ref", "--format=%(worktreepath)", Heads+w.Branch)
	if err == nil && at != "" {
		err = fmt.Errorf("%w: %s is checked out in %s", ErrInTheWay, w.Branch, at)
	}
	return err
}

// admin returns the directory that git keeps for the worktree, "" for none.
func (w Worktree) admin(ctx context.Context, r Repo) (string, error) {
	dirs, err := r.Checkouts(ctx)
	if err != nil {
		return "", err
	}
	for _, dir := range dirs[1:] {
		text, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		at := strings.TrimSuffix(string(text), "\n")
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if err == nil && filepath.Clean(at) == filepath.Join(w.Path, ".git") {
			return dir, nil
		}
	}
	return "", nil
}

// forget drops what git remembers of a worktree whose directory is gone; of
// this one alone, because others may lie on a disk that is not there today.
func (w Worktree) forget(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return err
	}
	if isHalfMade(admin) {
		return os.RemoveAll(admin) // no work is in it
	}
	if _, err = r.Run(ctx, "worktree", "remove", "--force", w.Path); err != nil {
		err = fmt.Errorf("%w: %w", ErrInTheWay, err) // the person locked it
	}
	return err
}
