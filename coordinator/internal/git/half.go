package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// isHalfMade reports whether a git died while it made a worktree. The caller has
// the lock, so that git is not at work any more.
func isHalfMade(admin string) bool {
	why, err := os.ReadFile(filepath.Join(admin, "locked"))
	return err == nil && strings.TrimSpace(string(why)) == "initializing"
}

// finishAdd completes a worktree that git was making when it was killed, or makes
// it an empty directory again.
func (w Worktree) finishAdd(ctx context.Context, r Repo) error {
	admin, err := w.admin(ctx, r)
	if err != nil || admin == "" {
		return errors.Join(err, w.removeHalf(ctx, r))
	}
	if !isHalfMade(admin) {
		return nil
	}
	at := r.In(w.Path)
	if err := os.Remove(filepath.Join(admin, "index.lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if own, err := at.GitDir(ctx); err == nil && own == admin && w.onBranch(ctx, at) == nil {
		if _, err := at.Run(ctx, "reset", "-q", "--hard"); err != nil {
			return err
		}
		return os.Remove(filepath.Join(admin, "locked"))
	}
	if err := os.Remove(filepath.Join(w.Path, ".git")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(admin)
}

// removeHalf deletes a directory left by a git that died while it added or removed
// a worktree: git does not list it, and it holds nothing that is not on the
// branch. Anything else is kept; Verify reports it.
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
	_, _ = r.Run(ctx, "worktree", "repair", w.Path) // where only the way back from git is lost
	return nil
}

// hasOnlyBranchFiles reports whether each file at the path is as on the branch.
func (w Worktree) hasOnlyBranchFiles(ctx context.Context, r Repo, common string) (bool, error) {
	index := filepath.Join(common, "afar.index")
	defer os.Remove(index)
	env := Call{Env: []string{"GIT_DIR=" + common, "GIT_WORK_TREE=" + w.Path, "GIT_INDEX_FILE=" + index}}
	at := r.In(w.Path)
	if _, err := at.Call(ctx, env, "read-tree", Heads+w.Branch); err != nil {
		return false, err
	}
	_, _ = at.Call(ctx, env, "update-index", "-q", "--refresh") // it fails where a file is not as the branch has it
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
