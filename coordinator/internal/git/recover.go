package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// What git was doing when it was killed (our own death does not end it: it keeps
// the lock and comes to its end) is written down before and read by whoever has
// the lock next. Then what git left half done is taken back, and nothing else:
// a file counts as git's only while its bytes are those of a commit.

// A mark says what git is doing in a checkout.
type mark struct {
	Checkout string // its top
	Ref      string // the branch there
	From, To string // the commits that git goes from and to; the same for one that stays
	Until    int64  // unix milliseconds; by then git had ended
}

const (
	landingMark = "afar.landing" // in the common directory
	workMark    = "afar.work"    // in the directory of our worktree
)

func (m mark) write(name string) error {
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
func (m mark) covers(info fs.FileInfo) bool {
	at := info.ModTime().UnixMilli()
	return at >= m.Until-(localLimit+graceToEnd+2*time.Second).Milliseconds() && at <= m.Until
}

// readMark returns nil where nothing was begun. Half a mark was written before
// git was.
func readMark(name string) (*mark, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var m mark
	if err == nil && (json.Unmarshal(text, &m) != nil || m.Checkout == "") {
		return nil, os.Remove(name)
	}
	return &m, err
}

// marked runs git between the writing of a mark and its removal.
func marked(name string, m mark, do func() error) error {
	if err := m.write(name); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // settled
}

// settleLanding takes back a merge in the checkout of a base that was cut off
// while it wrote files.
func (r Repo) settleLanding(ctx context.Context) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(common, landingMark)
	m, err := readMark(name)
	if err != nil || m == nil {
		return err
	}
	if _, err := os.Stat(m.Checkout); errors.Is(err, fs.ErrNotExist) {
		return os.Remove(name)
	}
	at := r.In(m.Checkout)
	own, err := at.GitDir(ctx)
	if err != nil {
		return err
	}
	if err := dropLocks(ctx, m, filepath.Join(own, "HEAD.lock"), filepath.Join(own, "ORIG_HEAD.lock"), filepath.Join(common, m.Ref+".lock"), filepath.Join(common, "packed-refs.lock")); err != nil {
		return err
	}
	ref, _ := at.Line(ctx, "symbolic-ref", "-q", "HEAD")
	tip, err := at.Resolve(ctx, "HEAD")
	if err == nil && ref == m.Ref && tip == m.From {
		err = at.takeBack(ctx, *m)
	}
	if err != nil {
		return fmt.Errorf("%w: a landing was cut off in %s: %w", ErrInTheWay, m.Checkout, err)
	}
	return os.Remove(name)
}

// takeBack brings the files between two commits back to the first where git had
// begun to write the second. One that is neither is somebody's work: nothing is
// done then.
func (r Repo) takeBack(ctx context.Context, m mark) error {
	touched, err := r.between(ctx, m.From, m.To)
	if err != nil {
		return err
	}
	changes, err := r.changes(ctx)
	if err != nil {
		return err
	}
	var restore, remove, theirs []string
	for _, c := range changes {
		if t, ok := touched[c.path]; ok && c.kind == '1' && !c.sub {
			if restore = append(restore, c.path); !r.gits(ctx, c.path, t, c.staged) {
				theirs = append(theirs, c.path)
			}
		}
	}
	for path, t := range touched {
		if t.from != "" || slices.Contains(restore, path) || r.taken(path, func(string) bool { return false }) != path {
			continue
		}
		if remove = append(remove, path); !r.gits(ctx, path, t, "") {
			theirs = append(theirs, path)
		}
	}
	if len(theirs) > 0 {
		slices.Sort(theirs)
		return fmt.Errorf("these files were changed since: %s", someNames(theirs))
	}
	return r.putBack(ctx, m.From, restore, remove)
}

func (r Repo) putBack(ctx context.Context, from string, restore, remove []string) error {
	if len(restore) > 0 {
		in := []byte(strings.Join(restore, "\x00") + "\x00")
		if _, err := r.Call(ctx, Call{In: in}, "restore", "-q", "--source="+from, "--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return err
		}
	}
	for _, path := range remove {
		if err := os.Remove(filepath.Join(r.Dir, path)); err != nil {
			return err
		}
		for dir := filepath.Dir(path); dir != "." && os.Remove(filepath.Join(r.Dir, dir)) == nil; dir = filepath.Dir(dir) {
		}
	}
	return nil
}

// gits reports whether a file holds nothing but what one of two commits has for
// it, or the beginning of that: git died while it wrote it. staged is its entry
// in the index, "" for none.
func (r Repo) gits(ctx context.Context, path string, t passage, staged string) bool {
	if staged != "" && strings.Trim(staged, "0") != "" && staged != t.from && staged != t.to {
		return false
	}
	name := filepath.Join(r.Dir, path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return false
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(name)
		blob, err := r.Run(ctx, "cat-file", "blob", t.to)
		return err == nil && string(blob) == to
	case !info.Mode().IsRegular():
		return false
	}
	oid, err := r.Line(ctx, "hash-object", "--", path)
	if err == nil && (oid == t.from || oid == t.to) {
		return true
	}
	have, err := os.ReadFile(name)
	if err != nil || t.to == "" {
		return false
	}
	blob, err := r.Run(ctx, "cat-file", "--filters", "--path="+path, t.to)
	return err == nil && bytes.HasPrefix(blob, have)
}

// A passage is what two commits have for a path; "" is nothing.
type passage struct{ from, to string }

// between lists what differs between two commits.
func (r Repo) between(ctx context.Context, from, to string) (map[string]passage, error) {
	out, err := r.Run(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", from, to)
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

// parseRaw reads git diff-tree --raw -z: ":100644 100644 <old> <new> M", path.
func parseRaw(out []byte) (map[string]passage, error) {
	list, entries := map[string]passage{}, Records(out)
	for i := 0; i < len(entries); i += 2 {
		part := strings.Split(string(entries[i]), " ")
		if len(part) != 5 || !strings.HasPrefix(part[0], ":") || i+1 == len(entries) || len(entries[i+1]) == 0 {
			return nil, fmt.Errorf("git diff-tree said %q", entries[i])
		}
		list[string(entries[i+1])] = passage{orNone(part[2]), orNone(part[3])}
	}
	return list, nil
}

// orNone is "" for the name that git gives to nothing.
func orNone(oid string) string {
	if strings.Trim(oid, "0") == "" {
		return ""
	}
	return oid
}

// begin takes the lock of the repository, and ends what a git of ours that was
// killed has left in the worktree. The caller releases the lock.
func (w Worktree) begin(ctx context.Context) (Repo, error) {
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
	return dropLocks(ctx, nil, filepath.Join(common, heads+w.Branch+".lock"), filepath.Join(common, landedRef(w.Base)+".lock"))
}

// dropLocks removes locks of refs that nobody holds any more: they are older than
// any git needs. Of the person's refs those alone that were made while a git of
// ours ran that died. An index.lock is another matter: an editor may be open
// behind it.
func dropLocks(ctx context.Context, m *mark, names ...string) error {
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

// settle brings our worktree to a rest after a git of ours that was killed in
// it. What was being rebased is as before.
func (w Worktree) settle(ctx context.Context, r Repo) error {
	at := r.In(w.Path)
	own, err := at.GitDir(ctx)
	if err != nil {
		return nil // there is no worktree, or none of git's: others say so
	}
	name := filepath.Join(own, workMark)
	m, err := readMark(name)
	if err != nil || m == nil {
		return err
	}
	if err := w.unlock(own, *m); err != nil {
		return err
	}
	if err := dropLocks(ctx, m, filepath.Join(filepath.Dir(filepath.Dir(own)), "packed-refs.lock")); err != nil {
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
func (w Worktree) unlock(own string, m mark) error {
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
func (w Worktree) unRebase(ctx context.Context, at Repo, own string, m mark) error {
	tip, err := at.Resolve(ctx, m.Ref)
	if err != nil {
		return err
	}
	var touched []string
	if tip == m.From {
		if touched, err = w.untouched(ctx, at, m); err != nil {
			return err
		}
	}
	for _, state := range []string{"rebase-merge", "rebase-apply", "REBASE_HEAD"} {
		if err := os.RemoveAll(filepath.Join(own, state)); err != nil {
			return err
		}
	}
	if _, err := at.Run(ctx, "symbolic-ref", "-m", "afar: end a rebase that was cut off", "HEAD", m.Ref); err != nil || tip != m.From {
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

// untouched makes sure that nobody worked in the middle of the rebase, and
// returns the files that only its target has.
func (w Worktree) untouched(ctx context.Context, at Repo, m mark) (strange []string, err error) {
	changes, err := at.changes(ctx)
	if err != nil {
		return nil, err
	}
	touched, err := at.passed(ctx, m.From, m.To)
	if err != nil {
		return nil, err
	}
	var theirs []string
	for _, c := range changes {
		if info, err := os.Lstat(filepath.Join(at.Dir, c.path)); err == nil && info.ModTime().UnixMilli() > m.Until {
			theirs = append(theirs, c.path)
		}
		switch {
		case c.kind != '?' || touched[c.path]:
		case sideOf(c.path, touched):
			strange = append(strange, c.path)
		default:
			theirs = append(theirs, c.path)
		}
	}
	if len(theirs) > 0 {
		return nil, fmt.Errorf("these files were changed since: %s", someNames(theirs))
	}
	tracked, err := at.tracked(ctx, m.From)
	for path := range touched {
		if !tracked[path] && at.taken(path, func(string) bool { return false }) == path {
			strange = append(strange, path)
		}
	}
	return strange, err
}

// passed returns all paths that a rebase of one commit onto another writes.
func (r Repo) passed(ctx context.Context, from, onto string) (map[string]bool, error) {
	list, err := r.Run(ctx, "rev-list", from, "^"+onto)
	if err != nil {
		return nil, err
	}
	one, err := r.Call(ctx, Call{In: list}, "diff-tree", "--stdin", "-m", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	all, err := r.Run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none", from, onto)
	paths := map[string]bool{}
	for _, path := range append(Records(one), Records(all)...) {
		paths[path] = true
	}
	return paths, err
}

// tracked returns the paths of a commit.
func (r Repo) tracked(ctx context.Context, commit string) (map[string]bool, error) {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
	paths := map[string]bool{}
	for _, path := range Records(out) {
		paths[path] = true
	}
	return paths, err
}
