package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// isHalfMade reports whether git died while it made a worktree. The caller holds the
// lock, so that git cannot be running any more.
func isHalfMade(admin string) bool {
	why, _ := os.ReadFile(filepath.Join(admin, "locked"))
	return strings.TrimSpace(string(why)) == "initializing"
}

// finishAdd completes a worktree that git was making when it was killed. If that is
// not possible, it removes what git made.
func (w Worktree) finishAdd(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return errors.Join(err, w.removeHalf(ctx, r))
	}
	if !isHalfMade(admin) {
		return nil
	}
	at := r.In(w.Path)
	if err := removeFile(filepath.Join(admin, "index.lock")); err != nil {
		return err
	}
	if own, _ := at.GitDir(ctx); own == admin && w.onBranch(ctx, at) == nil {
		if _, err := at.Run(ctx, "reset", "-q", "--hard"); err != nil {
			return err
		}
		return os.Remove(filepath.Join(admin, "locked"))
	}
	if err := removeFile(filepath.Join(w.Path, ".git")); err != nil {
		return err
	}
	return os.RemoveAll(admin)
}

// removeFile removes a file or an empty directory. One that does not exist is no error.
func removeFile(name string) error { return unlessMissing(os.Remove(name)) }

// unlessMissing returns err, but nil if err says that a file does not exist.
func unlessMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeHalf deletes a directory that git left when it died while adding or removing
// a worktree. It does so only if git does not list the directory as a worktree, and
// all files there are as on the branch. It keeps anything else, which Verify reports.
func (w Worktree) removeHalf(ctx context.Context, r Repo) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	text, _ := os.ReadFile(filepath.Join(w.Path, ".git"))
	admin, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok || filepath.Dir(admin) != filepath.Join(common, "worktrees") {
		return nil
	}
	same, err := w.hasOnlyBranchFiles(ctx, r, common)
	if err != nil {
		return err
	}
	if same {
		return errors.Join(os.RemoveAll(w.Path), os.RemoveAll(admin))
	}
	_, _ = r.Run(ctx, "worktree", "repair", w.Path) // helps if only git's own link to it is lost
	return nil
}

// hasOnlyBranchFiles reports whether each file in the directory is as on the branch.
func (w Worktree) hasOnlyBranchFiles(ctx context.Context, r Repo, common string) (bool, error) {
	index := filepath.Join(common, "afar.index")
	defer os.Remove(index)
	env := Call{Env: []string{"GIT_DIR=" + common, "GIT_WORK_TREE=" + w.Path, "GIT_INDEX_FILE=" + index}}
	at := r.In(w.Path)
	if _, err := at.Call(ctx, env, "read-tree", Heads+w.Branch); err != nil {
		return false, err
	}
	_, _ = at.Call(ctx, env, "update-index", "-q", "--refresh") // it fails if a file differs from the branch
	for _, args := range [][]string{
		{"ls-files", "-z", "--others"},
		{"diff-files", "-z", "--name-only", "--diff-filter=d", "--ignore-submodules=none"},
	} {
		if out, err := at.Call(ctx, env, args...); err != nil || len(out) > 0 {
			return false, err
		}
	}
	return true, nil
}
