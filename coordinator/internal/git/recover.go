package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// Before git changes a checkout, a mark says what it is about to do. The next
// holder of the lock reads the mark of a git that was killed, and takes back what
// that git left half done, and nothing else: a file counts as git's only if its
// bytes are those of a commit. Our own death does not end a git: it keeps the lock
// and comes to its end.

// A Mark says what git is doing in a checkout.
type Mark struct {
	Checkout string // its top
	Ref      string // the branch there
	From, To string // the commits that git goes from and to; the same for one that stays
	Until    int64  // unix milliseconds; by then git had ended
}

// workMark is the mark of a change in our worktree, in its git directory.
const workMark = "afar.work"

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

// covers reports whether a file was written while git was at it. File systems
// keep coarse times.
func (m Mark) covers(info fs.FileInfo) bool {
	at := info.ModTime().UnixMilli()
	return at >= m.Until-(localLimit+graceToEnd+2*time.Second).Milliseconds() && at <= m.Until
}

// ReadMark reads a mark. It returns nil where git began nothing, and removes half
// a mark: it was cut off before git began.
func ReadMark(name string) (*Mark, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m Mark
	if err == nil && (json.Unmarshal(text, &m) != nil || m.Checkout == "") {
		return nil, os.Remove(name)
	}
	return &m, err
}

// WithMark writes a mark, calls do, which runs git, and removes the mark. After an
// error of do the mark stays.
func WithMark(name string, m Mark, do func() error) error {
	if err := m.write(name); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // do removed it
}

// Begin takes the lock of the repository, and clears up what a git of ours that
// was killed left in the worktree. The caller calls Unlock.
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

// refHeld is how long git holds the lock of a ref, many times over.
const refHeld = 2 * time.Second

// freeRefs removes the locks of our own refs that a killed git has left. The
// model's git may hold that of the branch, for a moment.
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

// DropLocks removes stale lock files of refs: those that are older than any git
// needs. With a mark, it removes only files that were made while the git of the
// mark ran. An index.lock must not be among the names: an editor may hold it.
func DropLocks(ctx context.Context, m *Mark, names ...string) error {
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || m != nil && !m.covers(info) {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(refHeld - time.Since(info.ModTime())):
		}
		if again, err := os.Lstat(name); err == nil && os.SameFile(info, again) {
			_ = os.Remove(name)
		}
	}
	return nil
}

// settle clears up after a git of ours that was killed in our worktree. A rebase
// that was cut off is undone, or kept where it had arrived.
func (w Worktree) settle(ctx context.Context, r Repo) error {
	at := r.In(w.Path)
	own, err := at.GitDir(ctx)
	if err != nil {
		return nil // there is no worktree, or none of git's: others say so
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

// unlock removes the lock files that the killed git left in our worktree. They
// are ours: we have the repository's lock, and they are as old as our git.
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

// unRebase ends a rebase that was cut off: by putting the branch back under the
// worktree where it had not arrived, else by taking what it arrived at.
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

// checkUntouched returns an error where somebody worked in the middle of the
// rebase. It returns the files that only the target of the rebase has.
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
		case c.Kind != '?' || touched[c.Path]:
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

// rebasedPaths returns all paths that a rebase of one commit onto another writes.
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
