package undowork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// Apply carries out a plan. If it is interrupted, the restore can be planned and applied
// again.
func (k Keeper) Apply(ctx context.Context, p *Plan) error {
	v, end, err := k.open(ctx, p.root)
	if err != nil {
		return err
	}
	defer end()
	if err := v.applyFiles(p); err != nil {
		return err
	}
	for _, kind := range []kind{index, ref, head, stash} {
		for _, it := range p.of(kind) {
			if _, err := v.git(it.command()...); err != nil {
				return err
			}
		}
	}
	return nil
}

// command returns the git command that restores an item that is not a file.
func (it item) command() []string {
	switch it.kind {
	case index:
		return []string{"read-tree", "--reset", strings.TrimPrefix(it.before, subtree)}
	case ref:
		noObject := strings.Repeat("0", len(it.before))
		return []string{"update-ref", "-m", "afar undo", it.name, it.before, cmp.Or(it.now, noObject)}
	case stash:
		return []string{"stash", "store", "-m", it.name, it.before}
	}
	if strings.HasPrefix(it.before, "refs/") {
		return []string{"symbolic-ref", "-m", "afar undo", "HEAD", it.before}
	}
	return []string{"update-ref", "-m", "afar undo", "--no-deref", "HEAD", it.before}
}

// applyFiles restores the work tree. It writes nothing outside of it, even if there are
// links.
func (v *view) applyFiles(p *Plan) error {
	files := p.of(file)
	if len(files) == 0 {
		return nil
	}
	root, err := os.OpenRoot(v.root)
	if err != nil {
		return err
	}
	defer root.Close()
	w := writer{root, p, len(files) <= maxSynced}
	var paths []string
	for _, it := range files {
		if it.before != "" {
			paths = append(paths, it.name)
		} else if err := w.remove(it.name); err != nil {
			return err
		}
	}
	perms, err := v.checkOut(p, paths)
	if err != nil {
		return err
	}
	for _, path := range paths {
		perm, ok := perms[path]
		if !ok {
			continue
		}
		if err := w.write(path, v.checkedOut(path), perm); err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
	}
	return nil
}

// checkedOut returns the path where checkOut writes a file.
func (v *view) checkedOut(path string) string { return filepath.Join(v.tmp, "files", path) }

// checkOut writes files of a picture to a temporary directory, and returns their
// permissions. Kept files come back byte by byte, others with git's conversions of line ends.
func (v *view) checkOut(p *Plan, paths []string) (map[string]fs.FileMode, error) {
	if err := v.openRaw(); err != nil {
		return nil, err
	}
	if _, err := v.gitWith(v.raw, "", "read-tree", p.tree+":work"); err != nil {
		return nil, err
	}
	perms, err := v.keptPerms(p.tree)
	if err != nil {
		return nil, err
	}
	isKept := func(path string) bool { _, ok := perms[path]; return ok }
	others, err := v.unfiltered(p, slices.DeleteFunc(slices.Clone(paths), isKept))
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return !isKept(path) })
	write := []string{"checkout-index", "-z", "--stdin", "--prefix=" + v.checkedOut("") + "/"}
	if _, err := v.gitWith(v.raw, nulls(kept), write...); err != nil {
		return nil, err
	}
	if _, err := v.gitWith(v.own, nulls(others), write...); err != nil {
		return nil, err
	}
	for _, path := range others {
		info, err := os.Lstat(v.checkedOut(path))
		if err != nil {
			return nil, err
		}
		perms[path] = 0o644 | info.Mode().Perm()&0o111
	}
	return perms, nil
}

// nulls returns paths in the form that git reads with -z.
func nulls(paths []string) string { return strings.Join(paths, "\x00") }

// keptPerms returns the permissions of the files that were kept byte by byte.
func (v *view) keptPerms(tree string) (map[string]fs.FileMode, error) {
	out, err := v.git("cat-file", "blob", tree+":modes")
	perms := map[string]fs.FileMode{}
	for _, record := range git.Records(out) {
		perm, path, _ := strings.Cut(record, " ")
		n, err := strconv.ParseUint(perm, 8, 32)
		if err != nil {
			return nil, fmt.Errorf("permissions in a snapshot: %w", err)
		}
		perms[path] = fs.FileMode(n).Perm()
	}
	return perms, err
}

// unfiltered returns the files that no filter of the repository makes. The plan names the
// others, because the program of a filter must not run.
func (v *view) unfiltered(p *Plan, paths []string) (out []string, err error) {
	attributes, err := v.gitWith(v.own, nulls(paths), "check-attr", "--cached", "-z", "--stdin", "filter")
	for attr := range slices.Chunk(git.Records(attributes), 3) { // path, "filter", value
		if path := attr[0]; slices.Contains([]string{"unspecified", "unset"}, attr[len(attr)-1]) {
			out = append(out, path)
		} else {
			p.Left = append(p.Left, path+" (a filter makes it: git checkout -- "+path+")")
		}
	}
	return out, err
}

// maxSynced is the largest number of files that are synced to the disk. To sync more
// would take minutes.
const maxSynced = 1000

// A writer changes files in a work tree, each whole or not at all.
type writer struct {
	root     *os.Root
	plan     *Plan
	isSynced bool
}

// isWrittenMeanwhile reports whether a file was written after the plan was made. Such a
// file is not changed.
func (w writer) isWrittenMeanwhile(path string) bool {
	is := w.plan.isWrittenAfter(path, w.plan.since)
	if is {
		w.plan.Left = append(w.plan.Left, path+" (written meanwhile)")
	}
	return is
}

// remove removes a file and the directories that become empty, as git does.
func (w writer) remove(path string) error {
	if w.isWrittenMeanwhile(path) {
		return nil
	}
	if err := removeIfExists(w.root, path); err != nil {
		return err
	}
	w.plan.removed++
	dir := filepath.Dir(path)
	for dir != "." && w.root.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
	return nil
}

// removeIfExists removes a file or an empty directory, if it exists.
func removeIfExists(root *os.Root, path string) error {
	if err := root.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write copies a file next to its place and renames it.
func (w writer) write(path, source string, perm fs.FileMode) error {
	if w.isWrittenMeanwhile(path) {
		return nil
	}
	dir := filepath.Dir(path)
	if err := w.makeDir(dir); err != nil {
		return err
	}
	if info, err := w.root.Lstat(path); err == nil && info.IsDir() {
		if err := w.root.Remove(path); err != nil {
			return fmt.Errorf("a directory is in its place: %w", err)
		}
	}
	temp := filepath.Join(dir, ".afar-undo")
	if err := removeIfExists(w.root, temp); err != nil { // a restore that died may have left it
		return err
	}
	if err := w.copy(temp, source, perm); err != nil {
		return err
	}
	w.plan.restored++
	return w.root.Rename(temp, path)
}

// makeDir makes a directory. It returns an error if a part of its path is a link, because a
// file would then be written elsewhere.
func (w writer) makeDir(dir string) error {
	for part := dir; part != "."; part = filepath.Dir(part) {
		if info, err := w.root.Lstat(part); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link now", part)
		}
	}
	return w.root.MkdirAll(dir, 0o755)
}

// copy copies a file or a link into the work tree.
func (w writer) copy(to, source string, perm fs.FileMode) error {
	if target, err := os.Readlink(source); err == nil {
		return w.root.Symlink(target, to)
	}
	from, err := os.Open(source)
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := w.root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if w.isSynced {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Chmod(perm), f.Close())
}
