package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	for _, apply := range []func(*Plan) error{v.applyFiles, v.applyIndex, v.applyRefs, v.applyStashes} {
		if err := apply(p); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) applyIndex(p *Plan) error {
	if p.index == "" {
		return nil
	}
	_, err := v.git("read-tree", "--reset", p.index)
	return err
}

func (v *view) applyRefs(p *Plan) error {
	if len(p.refs) > 0 {
		if _, err := v.gitWith(p.refs, "update-ref", "-m", "afar undo", "--stdin"); err != nil {
			return err
		}
	}
	var err error
	switch {
	case p.head == "":
	case strings.HasPrefix(p.head, "refs/"):
		_, err = v.git("symbolic-ref", "-m", "afar undo", "HEAD", p.head)
	default:
		_, err = v.git("update-ref", "-m", "afar undo", "--no-deref", "HEAD", p.head)
	}
	return err
}

func (v *view) applyStashes(p *Plan) error {
	for _, s := range p.stashes {
		if _, err := v.git("stash", "store", "-m", s.Text, s.OID); err != nil {
			return err
		}
	}
	return nil
}

// filesAtOnce is how many files are read and written with one run of git.
const filesAtOnce = 200

// applyFiles restores the work tree. It writes nothing outside of it, even if there are
// links.
func (v *view) applyFiles(p *Plan) error {
	if len(p.write)+len(p.remove) == 0 {
		return nil
	}
	root, err := os.OpenRoot(v.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range p.remove {
		if err := v.removeFile(root, p, path); err != nil {
			return err
		}
	}
	if err := v.checkOut(p); err != nil {
		return err
	}
	for paths := range slices.Chunk(p.write, filesAtOnce) {
		if err := v.writeFiles(root, p, paths); err != nil {
			return err
		}
	}
	return nil
}

// isWrittenMeanwhile reports whether a file was written after the plan was made. Such a
// file is not changed. A time in the future means nothing.
func (p *Plan) isWrittenMeanwhile(root *os.Root, path string) bool {
	info, err := root.Lstat(path)
	if err != nil || !info.ModTime().After(p.since) || info.ModTime().After(time.Now().Add(time.Minute)) {
		return false
	}
	p.Left = append(p.Left, path+" (written meanwhile)")
	return true
}

// removeFile removes a file and the directories that become empty, as git does.
func (v *view) removeFile(root *os.Root, p *Plan, path string) error {
	if p.isWrittenMeanwhile(root, path) {
		return nil
	}
	if err := removeIfExists(root, path); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	for dir != "." && root.Remove(dir) == nil {
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

// checkOut writes the files that were not kept to a temporary directory, with git's
// conversions of line ends. It leaves out files that a filter of
// the repository makes, because that program must not run.
func (v *view) checkOut(p *Plan) error {
	var names []byte
	for _, path := range p.write {
		if _, ok := p.kept[path]; !ok {
			names = append(append(names, path...), 0)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if _, err := v.gitOwnIndex(nil, "read-tree", p.tree+":work"); err != nil {
		return err
	}
	filtered, err := v.filteredFiles(names)
	if err != nil {
		return err
	}
	p.write = slices.DeleteFunc(p.write, func(path string) bool {
		if filtered[path] {
			p.Left = append(p.Left, path+" (a filter makes it: git checkout -- "+path+")")
		}
		return filtered[path]
	})
	_, err = v.gitOwnIndex(names, "checkout-index", "-z", "--stdin", "--prefix="+v.checkedOut("")+"/")
	return err
}

// checkedOut returns the path where checkOut writes a file.
func (v *view) checkedOut(path string) string { return filepath.Join(v.tmp, "files", path) }

// filteredFiles returns the files that have a filter.
func (v *view) filteredFiles(names []byte) (map[string]bool, error) {
	out, err := v.gitOwnIndex(names, "check-attr", "--cached", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	filtered := map[string]bool{}
	for attr := range slices.Chunk(git.Records(out), 3) { // path, "filter", value
		filtered[attr[0]] = !slices.Contains([]string{"unspecified", "unset"}, attr[len(attr)-1])
	}
	return filtered, nil
}

// writeFiles restores a few files, each whole or not at all.
func (v *view) writeFiles(root *os.Root, p *Plan, paths []string) error {
	var kept []file
	for _, path := range paths {
		if f, ok := p.kept[path]; ok {
			kept = append(kept, f)
		}
	}
	blobs, err := v.blobs(kept)
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, isKept := p.kept[path]
		text := blobs[f.source]
		if !isKept {
			f, text, err = v.readCheckedOut(path)
		}
		if err == nil {
			err = v.writeFile(root, p, f, text)
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
	}
	return nil
}

// blobs returns the content of files by the names of their objects.
func (v *view) blobs(files []file) (map[string][]byte, error) {
	blobs := map[string][]byte{}
	if len(files) == 0 {
		return blobs, nil
	}
	var in bytes.Buffer
	for _, f := range files {
		fmt.Fprintln(&in, f.source)
	}
	out, err := v.gitWith(in.Bytes(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for len(out) > 0 { // "<oid> blob <size>", a line end, the bytes and a line end
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		var oid string
		var size uint
		if n, _ := fmt.Sscanf(string(head), "%s blob %d", &oid, &size); n != 2 || size >= uint(len(rest)) {
			return nil, fmt.Errorf("git cat-file printed %.80q", head)
		}
		blobs[oid], out = rest[:size], rest[size+1:]
	}
	return blobs, nil
}

// readCheckedOut reads a file that checkOut wrote.
func (v *view) readCheckedOut(path string) (file, []byte, error) {
	name := v.checkedOut(path)
	info, err := os.Lstat(name)
	if err != nil {
		return file{}, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(name)
		return file{path: path, mode: "120000"}, []byte(to), err
	}
	text, err := os.ReadFile(name)
	return file{path: path, perm: 0o644 | info.Mode().Perm()&0o111}, text, err
}

// writeFile writes a file next to its place and renames it.
func (v *view) writeFile(root *os.Root, p *Plan, f file, text []byte) error {
	if p.isWrittenMeanwhile(root, f.path) {
		return nil
	}
	dir := filepath.Dir(f.path)
	if err := checkNoLinks(root, dir); err != nil {
		return err
	}
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if info, err := root.Lstat(f.path); err == nil && info.IsDir() {
		if err := root.Remove(f.path); err != nil {
			return fmt.Errorf("a directory is in its place: %w", err)
		}
	}
	temp := filepath.Join(dir, ".afar-undo")
	if err := removeIfExists(root, temp); err != nil { // a restore that died may have left it
		return err
	}
	var err error
	if f.mode == "120000" {
		err = root.Symlink(string(text), temp)
	} else {
		err = writeTemp(root, temp, text, f.perm, len(p.write) <= maxSynced)
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, f.path)
}

// checkNoLinks returns an error if a part of a directory's path is a link, because the
// file would then be written elsewhere.
func checkNoLinks(root *os.Root, dir string) error {
	for ; dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link now", dir)
		}
	}
	return nil
}

// maxSynced is the largest number of files that are synced to the disk. To sync more
// would take minutes.
const maxSynced = 1000

func writeTemp(root *os.Root, name string, text []byte, perm fs.FileMode, isSynced bool) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if isSynced {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Chmod(perm), f.Close())
}
