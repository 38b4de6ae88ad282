package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// looking builds the tree of a picture:
//
//	staged  what the index holds
//	work    the work tree: staged, and over it the bytes of each changed file
//	index   the index's entries with their stages, as a listing
//	modes   permissions of the kept files
//
// A file whose entry is the same in staged and work was unchanged, and comes
// back through git's own conversions; any other comes back byte by byte.
type looking struct {
	*view
	picture *undo.Picture
	bytes   int64 // what may still be kept
	files   int

	seen    map[string]bool
	kept    []file
	gone    []string // tracked, and not there
	skipped []string // of a sparse checkout: not there by intent
	over    []string // above the bounds
}

// A file is one regular file or link of the work tree.
type file struct {
	path, source string // source is what git hashes
	mode         string
	perm         fs.FileMode
}

func (l *looking) tree() (string, error) {
	l.seen = map[string]bool{}
	listing, err := l.index()
	if err == nil && l.picture.Scope.Tree {
		err = l.changes()
	}
	if err != nil {
		return "", err
	}
	for _, r := range records(listing) {
		if e, ok := parseEntry(string(r)); ok {
			l.seen[e.path] = true // as the index has it, or found by changes
		}
	}
	for _, path := range l.picture.Scope.Paths {
		l.below(path)
	}
	l.tooMuch()
	return l.write(listing)
}

// index reads the entries of the person's index; none for paths alone.
func (l *looking) index() (listing []byte, err error) {
	if !l.picture.Scope.Tree {
		return nil, nil
	}
	return l.git("ls-files", "-z", "-t", "-s")
}

// changes finds what differs from the index, and what it does not know.
func (l *looking) changes() error {
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"}
	if l.picture.Scope.Ignored {
		args = append(args, "--ignored=traditional")
	}
	out, err := l.git(args...)
	if err != nil {
		return err
	}
	for _, r := range records(out) {
		path, gone, ok := changed(string(r))
		switch {
		case ok && remade(path) != "" && (r[0] == '?' || r[0] == '!'):
			if left := remade(path) + canBeMade; !slices.Contains(l.picture.Left, left) {
				l.left(left)
			}
		case ok && gone:
			l.gone = append(l.gone, path)
		case ok:
			l.below(path)
		}
	}
	return nil
}

// changed returns the path of a status entry whose work tree differs from the
// index, and whether it is gone there.
func changed(entry string) (path string, gone, ok bool) {
	fields := map[byte]int{'1': 9, 'u': 11, '?': 2, '!': 2}[(entry + " ")[0]]
	part := strings.SplitN(entry, " ", fields)
	if fields == 0 || len(part) != fields {
		return "", false, false
	}
	if fields == 9 && (len(part[1]) != 2 || part[1][1] == '.' || strings.HasPrefix(part[2], "S")) {
		return "", false, false
	}
	return part[fields-1], fields == 9 && part[1][1] == 'D', true
}

// below keeps a file, or all files of a directory. A repository of its own is
// left out: its history cannot be kept in this one.
func (l *looking) below(path string) {
	full := filepath.Join(l.root, path)
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		l.gone = append(l.gone, strings.TrimSuffix(path, "/"))
		return
	case !info.IsDir():
		l.keep(path, info)
		return
	}
	_ = filepath.WalkDir(full, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, l.root+"/")
		switch {
		case err != nil:
			l.left(rel + " (unreadable)")
			return fs.SkipDir
		case l.ctx.Err() != nil:
			return fs.SkipAll
		case d.IsDir() && whole(name):
			l.left(rel + " (a repository of its own)")
			return fs.SkipDir
		case d.IsDir() && remade(rel) != "":
			l.left(rel + canBeMade)
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if info, err := d.Info(); err == nil {
			l.keep(rel, info)
		}
		return nil
	})
}

// remadeDirs are full of files that a tool makes again; one of them would fill a
// snapshot alone.
var remadeDirs = []string{
	"node_modules", "bower_components", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache",
}

const canBeMade = " (can be made again)"

// remade returns the part of a path that ends in such a directory, "" for none.
func remade(path string) string {
	part := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range part {
		if slices.Contains(remadeDirs, name) {
			return strings.Join(part[:i+1], "/")
		}
	}
	return ""
}

func (l *looking) left(what string) { l.picture.Left = append(l.picture.Left, what) }

// keep takes one file in, within the bounds.
func (l *looking) keep(path string, info fs.FileInfo) {
	if l.seen[path] {
		return
	}
	l.seen[path] = true
	f := file{path: path, source: filepath.Join(l.root, path), mode: "100644", perm: info.Mode().Perm()}
	size := info.Size()
	switch mode := info.Mode(); {
	case ownPath(path):
		return
	case mode&fs.ModeSymlink != 0:
		f.mode = "120000"
		if f.source = l.link(f.source); f.source == "" {
			l.left(path + " (unreadable)")
			return
		}
	case !mode.IsRegular():
		l.left(path + " (not a file)")
		return
	case !readable(f.source):
		l.left(path + " (unreadable)")
		return
	case mode&0o111 != 0:
		f.mode = "100755"
	}
	if size > l.bytes || len(l.kept) >= l.files {
		l.over = append(l.over, path)
		return
	}
	l.bytes -= size
	l.kept = append(l.kept, f)
	l.picture.Files++
	l.picture.Bytes += size
}

// tooMuch names what was above the bounds in one line.
func (l *looking) tooMuch() {
	if len(l.over) > 0 {
		l.left(fmt.Sprintf("%d files above the bounds (%s)", len(l.over), undo.Some(l.over)))
	}
}

// link puts the target of a symbolic link where git can read it.
func (l *looking) link(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	return l.temp("link", []byte(to))
}

// temp writes a file of ours and returns its name, "" when it cannot.
func (l *looking) temp(name string, text []byte) string {
	f, err := os.CreateTemp(l.tmp, name)
	if err != nil {
		return ""
	}
	_, err = f.Write(text)
	if errors.Join(err, f.Close()) != nil {
		return ""
	}
	return f.Name()
}

func readable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// write makes the objects and returns the tree of them all.
func (l *looking) write(listing []byte) (string, error) {
	var modes bytes.Buffer
	for _, f := range l.kept {
		fmt.Fprintf(&modes, "%o %s\x00", f.perm, f.path)
	}
	files := append(l.kept, file{source: l.temp("modes", modes.Bytes())}, file{source: l.temp("index", listing)})
	oids, err := l.hash(files)
	if err != nil {
		return "", err
	}
	staged, err := l.indexTree(l.staged(listing))
	if err != nil {
		return "", err
	}
	work, err := l.indexTree(l.overlaid(oids))
	if err != nil {
		return "", err
	}
	n := len(l.kept)
	in := fmt.Sprintf("040000 tree %s\tstaged\n040000 tree %s\twork\n100644 blob %s\tmodes\n100644 blob %s\tindex\n", staged, work, oids[n], oids[n+1])
	out, err := l.feed([]byte(in), "mktree")
	return strings.TrimSpace(string(out)), err
}

// hash stores files as they are, byte by byte: no filter of the repository's
// runs.
func (l *looking) hash(files []file) ([]string, error) {
	var in []byte
	for _, f := range files {
		if f.source == "" {
			return nil, errors.New("write a file of ours: no room")
		}
		in = append(in, quote(f.source)...)
	}
	out, err := l.feed(in, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	oids := lines(string(out), "\n")
	if len(oids) != len(files) {
		return nil, fmt.Errorf("git hash-object: %d answers to %d files", len(oids), len(files))
	}
	return oids, nil
}

// remove is the line that takes a path out of an index; like is any name of an
// object in the repository.
func remove(path, like string) string {
	return "0 " + strings.Repeat("0", len(like)) + "\t" + path + "\x00"
}

// staged turns the listing into the entries of a merged index, and notes what a
// sparse checkout leaves out.
func (l *looking) staged(listing []byte) (in []byte) {
	for _, r := range records(listing) {
		e, ok := parseEntry(string(r))
		if !ok || e.stage != "0" {
			continue
		}
		if e.tag == "S" {
			l.skipped = append(l.skipped, e.path)
		}
		in = fmt.Appendf(in, "%s %s 0\t%s\x00", e.mode, e.oid, e.path)
	}
	return in
}

// overlaid is what the work tree has over the index: what is not there goes first.
func (l *looking) overlaid(oids []string) (in []byte) {
	gone := append(l.gone, l.skipped...)
	sort.Strings(gone)
	for _, path := range gone {
		in = append(in, remove(path, oids[0])...)
	}
	for i, f := range l.kept {
		in = fmt.Appendf(in, "%s %s 0\t%s\x00", f.mode, oids[i], f.path)
	}
	return in
}

// indexTree puts entries into our own index and writes its tree.
func (l *looking) indexTree(in []byte) (string, error) {
	if _, err := l.aside("index", in, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := l.aside("index", nil, "write-tree", "--missing-ok")
	return strings.TrimSpace(string(out)), err
}

// An entry is one line of the index: tag, mode, oid, stage and path.
type entry struct{ tag, mode, oid, stage, path string }

// parseEntry reads "H 100644 <oid> 0\t<path>".
func parseEntry(r string) (e entry, ok bool) {
	head, path, ok := strings.Cut(r, "\t")
	part := strings.Split(head, " ")
	if !ok || len(part) != 4 || path == "" {
		return e, false
	}
	return entry{part[0], part[1], part[2], part[3], path}, true
}
