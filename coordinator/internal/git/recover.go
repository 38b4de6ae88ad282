package git

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// Before git changes a checkout, we write a mark that says what git is about to do.
// If that git is killed, the next holder of the lock reads the mark and undoes what
// git left half done. It undoes nothing else: it takes a file for git's only if a
// commit has the same bytes. If our own process dies, git still runs to its end and
// keeps the lock until then.

// A Mark says what git is doing in a checkout.
type Mark struct {
	Checkout string // its top
	Ref      string // the branch there
	From, To string // the commits before and after; the same if the branch does not move
	Until    int64  // unix milliseconds; git has ended by then
}

// workMark is the file name of the mark for our worktree, in its git directory.
const workMark = "afar.work"

// write stores the mark in a file, with the time limit of git from now on.
func (m Mark) write(name string) error {
	m.Until = time.Now().Add(localLimit + graceToEnd).UnixMilli()
	text, err := json.Marshal(m)
	if err == nil {
		err = atomicfile.Write(name, string(text))
	}
	if err != nil {
		return fmt.Errorf("write down what git is about to do: %w", err)
	}
	return nil
}

// covers reports whether a file was written while the git of the mark ran. It
// allows for the coarse times of file systems. Without a mark it returns true.
func (m *Mark) covers(info fs.FileInfo) bool {
	if m == nil {
		return true
	}
	at := info.ModTime().UnixMilli()
	return at >= m.Until-(localLimit+graceToEnd+2*time.Second).Milliseconds() && at <= m.Until
}

// ReadMark reads a mark. It returns nil if there is none. It removes an incomplete
// mark and returns nil too: the process died before git began.
func ReadMark(name string) (*Mark, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, unlessMissing(err)
	}
	var m Mark
	if json.Unmarshal(text, &m) != nil || m.Checkout == "" {
		return nil, os.Remove(name)
	}
	return &m, nil
}

// WithMark writes a mark, calls do, which runs git, and removes the mark. If do
// returns an error, the mark stays.
func WithMark(name string, m Mark, do func() error) error {
	if err := m.write(name); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return removeFile(name) // do may have removed it
}

// Begin takes the lock of the repository, and cleans up after a git that was killed
// in the worktree. The caller calls Unlock.
func (w Worktree) Begin(ctx context.Context) (Repo, error) {
	r, err := Trusted(w.Repo).lock(ctx)
	if err != nil {
		return r, err
	}
	if err = w.freeRefs(ctx, r); err == nil {
		err = w.settle(ctx, r)
	}
	if err != nil {
		r.Unlock()
	}
	return r, err
}

// refHeld is far longer than git needs the lock of a ref.
const refHeld = 2 * time.Second

// freeRefs removes stale locks of our refs, left by a git that was killed. A git of
// the session may hold the lock of the branch for a moment.
func (w Worktree) freeRefs(ctx context.Context, r Repo) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	return DropLocks(
		ctx, nil, filepath.Join(common, Heads+w.Branch+".lock"),
		filepath.Join(common, LandedRef(w.Base)+".lock"),
	)
}

// DropLocks removes lock files of refs that are older than refHeld; it waits for
// younger ones. With a mark, it removes only files that were written while the git
// of the mark ran. The names must not include an index.lock, which an editor may
// hold.
func DropLocks(ctx context.Context, m *Mark, names ...string) error {
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !m.covers(info) {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refHeld - time.Since(info.ModTime())):
		}
		if again, _ := os.Lstat(name); os.SameFile(info, again) {
			_ = os.Remove(name)
		}
	}
	return nil
}

// settle cleans up after a git that was killed in our worktree. It undoes an
// interrupted rebase, unless the rebase had already moved the branch.
func (w Worktree) settle(ctx context.Context, r Repo) error {
	at := r.In(w.Path)
	own, err := at.GitDir(ctx)
	if err != nil {
		return nil // it is not a worktree; Verify reports that
	}
	name := filepath.Join(own, workMark)
	m, err := ReadMark(name)
	if err != nil || m == nil {
		return err
	}
	if err := w.unlock(own, *m); err != nil {
		return err
	}
	if err := DropLocks(ctx, m, filepath.Join(filepath.Dir(filepath.Dir(own)), "packed-refs.lock")); err != nil {
		return err
	}
	if m.From != m.To {
		err = w.unRebase(ctx, at, own, *m)
	}
	if err != nil {
		return fmt.Errorf("%w: a rebase was cut off in %s: %w", ErrInTheWay, w.Path, err)
	}
	return os.Remove(name)
}

// unlock removes the lock files that the killed git left in our worktree. We know
// them by their time and because we hold the repository's lock. A younger lock file
// is an error.
func (w Worktree) unlock(own string, m Mark) error {
	entries, err := os.ReadDir(own)
	if err != nil {
		return err
	}
	for _, d := range entries {
		info, err := d.Info()
		if err != nil || !strings.HasSuffix(d.Name(), ".lock") {
			continue
		}
		name := filepath.Join(own, d.Name())
		switch {
		case m.covers(info):
			err = os.Remove(name)
		case info.ModTime().UnixMilli() > m.Until:
			err = fmt.Errorf("%w: another git is at work in %s (%s)", ErrInTheWay, w.Path, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unRebase ends an interrupted rebase. If the rebase had not moved the branch yet,
// it restores the worktree to the branch. Else it keeps the result.
func (w Worktree) unRebase(ctx context.Context, at Repo, own string, m Mark) error {
	tip, err := at.Resolve(ctx, m.Ref)
	if err != nil {
		return err
	}
	var touched []string
	if tip == m.From {
		if touched, err = w.checkUntouched(ctx, at, m); err != nil {
			return err
		}
	}
	for _, state := range []string{"rebase-merge", "rebase-apply", "REBASE_HEAD"} {
		if err := os.RemoveAll(filepath.Join(own, state)); err != nil {
			return err
		}
	}
	_, err = at.Run(ctx, "symbolic-ref", "-m", "afar: end a rebase that was cut off", "HEAD", m.Ref)
	if err != nil || tip != m.From {
		return err
	}
	for _, path := range touched {
		if err := os.Remove(filepath.Join(at.Dir, path)); err != nil {
			return err
		}
	}
	_, err = at.Run(ctx, "reset", "-q", "--hard", m.From)
	return err
}

// checkUntouched returns an error if somebody changed files during the interrupted
// rebase. It returns the files that git wrote and that the branch does not have.
func (w Worktree) checkUntouched(ctx context.Context, at Repo, m Mark) (strange []string, err error) {
	changes, err := at.Changes(ctx)
	if err != nil {
		return nil, err
	}
	touched, err := at.rebasedPaths(ctx, m.From, m.To)
	if err != nil {
		return nil, err
	}
	var theirs []string
	for _, c := range changes {
		if info, err := os.Lstat(filepath.Join(at.Dir, c.Path)); err == nil && info.ModTime().UnixMilli() > m.Until {
			theirs = append(theirs, c.Path)
		}
		switch {
		case c.Kind != '?', touched[c.Path]:
		case sideOf(c.Path, touched):
			strange = append(strange, c.Path)
		default:
			theirs = append(theirs, c.Path)
		}
	}
	if len(theirs) > 0 {
		return nil, fmt.Errorf("these files were changed since: %s", NameSome(theirs))
	}
	tracked, err := at.trackedPaths(ctx, m.From)
	for path := range touched {
		if !tracked[path] && at.IsFile(path) {
			strange = append(strange, path)
		}
	}
	return strange, err
}

// rebasedPaths returns all paths that a rebase of one commit onto another may write.
func (r Repo) rebasedPaths(ctx context.Context, from, onto string) (map[string]bool, error) {
	list, err := r.Run(ctx, "rev-list", from, "^"+onto)
	if err != nil {
		return nil, err
	}
	one, err := r.Call(
		ctx, Call{In: list}, "diff-tree", "--stdin", "-m", "-r", "-z", "--name-only", "--no-commit-id",
		"--no-renames", "--ignore-submodules=none",
	)
	if err != nil {
		return nil, err
	}
	all, err := r.Run(
		ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", from, onto,
	)
	paths := map[string]bool{}
	for _, path := range append(Records(one), Records(all)...) {
		paths[path] = true
	}
	return paths, err
}
