package snapshot

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

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// maxRefs bounds how many refs one picture records.
const maxRefs = 500

// picture makes a picture out of objects. No ref keeps them yet.
func (k Keeper) picture(v *view, scope undo.Scope) (undo.Picture, error) {
	p := undo.Picture{Scope: scope}
	if err := errors.Join(v.addRefs(&p), v.addStashes(&p)); err != nil {
		return p, err
	}
	if scope.Bare || !scope.Tree && len(scope.Paths) == 0 {
		return p, nil
	}
	left := p.Left
	t := taking{view: v, picture: &p, bytes: k.Bytes, files: k.Files}
	tree, err := t.tree()
	if err != nil && v.ctx.Err() == nil { // somebody wrote meanwhile: try once more
		p.Files, p.Bytes, p.Left = 0, 0, left
		t = taking{view: v, picture: &p, bytes: k.Bytes, files: k.Files}
		tree, err = t.tree()
	}
	p.Tree = tree
	return p, err
}

// addRefs records HEAD and what the refs of the scope point to.
func (v *view) addRefs(p *undo.Picture) error {
	var patterns []string
	branch, err := v.repo.Line(v.ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case err == nil:
		p.Head = branch
		if p.Scope.Tree {
			patterns = append(patterns, branch)
		}
	case p.Scope.Tree:
		oid, err := v.repo.Line(v.ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}")
		if err != nil {
			return err
		}
		p.Refs = append(p.Refs, undo.Ref{Name: "HEAD", OID: oid})
	}
	for _, name := range p.Scope.Refs {
		patterns = append(patterns, patternsOf(name)...)
	}
	if len(patterns) == 0 {
		return nil
	}
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)"}, patterns...)
	out, err := v.git(args...)
	if err != nil {
		return err
	}
	for _, line := range git.Lines(out) {
		oid, rest, _ := strings.Cut(line, " ")
		name, target, _ := strings.Cut(rest, " ")
		if target == "" && !strings.HasPrefix(name, refs) { // a symbolic ref itself is not recorded
			p.Refs = append(p.Refs, undo.Ref{Name: name, OID: oid})
		}
	}
	if over := len(p.Refs) - maxRefs; over > 0 {
		p.Refs, p.Left = p.Refs[:maxRefs], append(p.Left, fmt.Sprint(over, " refs"))
	}
	return nil
}

// patternsOf returns the refs that a command may mean by a name.
func patternsOf(name string) []string {
	switch {
	case name == "*":
		return []string{"refs/heads", "refs/tags", "refs/remotes"}
	case strings.HasPrefix(name, "refs/"):
		return []string{name}
	}
	return []string{"refs/heads/" + name, "refs/tags/" + name, "refs/remotes/" + name, "refs/remotes/*/" + name}
}

// addStashes records the entries of the stash, newest first.
func (v *view) addStashes(p *undo.Picture) error {
	if !p.Scope.Stashes {
		return nil
	}
	if _, err := v.git("rev-parse", "-q", "--verify", "refs/stash"); err != nil {
		return nil // there are none
	}
	out, err := v.git("log", "-g", "--no-show-signature", "--format=%H %gs", "refs/stash", "--")
	if err != nil {
		return err
	}
	for _, line := range git.Lines(out) {
		oid, text, _ := strings.Cut(line, " ")
		p.Stashes = append(p.Stashes, undo.Stash{OID: oid, Text: text})
	}
	return nil
}

// A taking builds the tree of a picture:
//
//	staged  the index; of an unmerged file our side
//	work    the work tree: staged, and over it the bytes of each kept file
//	modes   the permissions of the kept files
//
// A kept file is restored byte by byte. Any other file is the same as in the index, and git
// restores it with its conversions.
type taking struct {
	*view
	picture *undo.Picture
	bytes   int64 // that may still be kept
	files   int

	seen   map[string]bool
	kept   []file
	absent []string // in the index, but not in the work tree
	over   []string // above the bounds
}

// A file is one regular file or link of the work tree.
type file struct {
	path, source string // git hashes source
	mode         string
	perm         fs.FileMode
}

func (t *taking) tree() (string, error) {
	t.seen = map[string]bool{}
	var entries []entry
	if t.picture.Scope.Tree {
		out, err := t.git("ls-files", "-z", "-t", "-s")
		if err == nil {
			err = t.addChanges()
		}
		if err != nil {
			return "", err
		}
		entries = parseIndex(out)
	}
	for _, e := range entries {
		t.seen[e.path] = true // it is in the index, or addChanges found it
		if e.sparse {
			t.absent = append(t.absent, e.path)
		}
	}
	for _, path := range t.picture.Scope.Paths {
		t.add(path)
	}
	if len(t.over) > 0 {
		t.leave(fmt.Sprintf("%d files above the bounds (%s)", len(t.over), undo.Some(t.over)))
	}
	return t.write(entries)
}

// addChanges adds the files that differ from the index, and those that are not
// in it.
func (t *taking) addChanges() error {
	args := []string{
		"status",
		"--porcelain=v2",
		"-z",
		"--untracked-files=all",
		"--no-renames",
		"--ignore-submodules=all",
	}
	if t.picture.Scope.Ignored {
		args = append(args, "--ignored=traditional")
	}
	out, err := t.git(args...)
	if err != nil {
		return err
	}
	for _, record := range git.Records(out) {
		c, ok := parseChange(record)
		rebuildable := git.Rebuildable(c.path)
		switch {
		case !ok:
		case c.gone:
			t.absent = append(t.absent, c.path)
		case rebuildable != "" && !c.tracked:
			t.leave(rebuildable + canBeRebuilt)
		default:
			t.add(c.path)
		}
	}
	return nil
}

// A change is a status entry whose work tree differs from the index.
type change struct {
	path          string
	tracked, gone bool
}

// parseChange reads one entry of git status --porcelain=v2. It reports false for
// headers, submodules, and files that are as in the index.
func parseChange(record string) (c change, ok bool) {
	fields := map[byte]int{'1': 9, 'u': 11, '?': 2, '!': 2}[(record + " ")[0]]
	part := strings.SplitN(record, " ", fields)
	if fields == 0 || len(part) != fields {
		return change{}, false
	}
	c = change{path: part[fields-1], tracked: fields > 2}
	if fields != 9 {
		return c, true
	}
	isSubmodule := strings.HasPrefix(part[2], "S")
	if strings.HasSuffix(part[1], ".") || isSubmodule {
		return change{}, false
	}
	c.gone = strings.HasSuffix(part[1], "D")
	return c, true
}

// add keeps a file, or all files of a directory. It leaves out a repository in there, whose
// history it cannot keep.
func (t *taking) add(path string) {
	full := filepath.Join(t.root, path)
	info, err := os.Lstat(full)
	if err != nil {
		t.absent = append(t.absent, strings.TrimSuffix(path, "/"))
		return
	}
	if !info.IsDir() {
		t.keep(path, info)
		return
	}
	_ = filepath.WalkDir(full, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(name, t.root+"/")
		switch {
		case err != nil:
			t.leave(rel + " (unreadable)")
			return fs.SkipDir
		case t.ctx.Err() != nil:
			return fs.SkipAll
		case d.IsDir():
			return t.enter(rel)
		}
		if info, err := d.Info(); err == nil {
			t.keep(rel, info)
		}
		return nil
	})
}

const canBeRebuilt = " (can be made again)"

// enter returns fs.SkipDir for a directory that is not kept.
func (t *taking) enter(dir string) error {
	switch {
	case git.IsRepository(filepath.Join(t.root, dir)):
		t.leave(dir + " (a repository of its own)")
	case git.Rebuildable(dir) != "":
		t.leave(dir + canBeRebuilt)
	default:
		return nil
	}
	return fs.SkipDir
}

// leave records something that is not kept.
func (t *taking) leave(what string) { t.picture.Left = addNew(t.picture.Left, what) }

// keep keeps one file, within the bounds.
func (t *taking) keep(path string, info fs.FileInfo) {
	if t.seen[path] {
		return
	}
	t.seen[path] = true
	if git.InGitDir(path) {
		return
	}
	f := file{path: path, source: filepath.Join(t.root, path), mode: "100644", perm: info.Mode().Perm()}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		f.mode, f.source = "120000", t.linkTarget(f.source)
	case !mode.IsRegular():
		t.leave(path + " (not a file)")
		return
	case mode&0o111 != 0:
		f.mode = "100755"
	}
	if !isReadable(f.source) {
		t.leave(path + " (unreadable)")
		return
	}
	if info.Size() > t.bytes || len(t.kept) >= t.files {
		t.over = append(t.over, path)
		return
	}
	t.bytes -= info.Size()
	t.kept = append(t.kept, f)
	t.picture.Files++
	t.picture.Bytes += info.Size()
}

// linkTarget writes the target of a symbolic link to a file that git can read. It returns
// the name of the file, "" after an error.
func (t *taking) linkTarget(path string) string {
	to, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	name, err := t.tempFile("link", []byte(to))
	if err != nil {
		return ""
	}
	return name
}

// tempFile writes a temporary file and returns its name.
func (t *taking) tempFile(name string, text []byte) (string, error) {
	f, err := os.CreateTemp(t.tmp, name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return f.Name(), errors.Join(err, f.Close())
}

func isReadable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// write makes the objects and returns the tree that contains all of them.
func (t *taking) write(entries []entry) (string, error) {
	var modes bytes.Buffer
	for _, f := range t.kept {
		fmt.Fprintf(&modes, "%o %s\x00", f.perm, f.path)
	}
	name, err := t.tempFile("modes", modes.Bytes())
	if err != nil {
		return "", err
	}
	oids, err := t.hash(append(t.kept, file{source: name}))
	if err != nil {
		return "", err
	}
	staged, err := t.writeTree(stagedLines(entries))
	if err != nil {
		return "", err
	}
	work, err := t.writeTree(t.workLines(oids))
	if err != nil {
		return "", err
	}
	in := fmt.Sprintf(
		"040000 tree %s\tstaged\n040000 tree %s\twork\n100644 blob %s\tmodes\n", staged, work,
		oids[len(t.kept)],
	)
	out, err := t.gitWith([]byte(in), "mktree")
	return strings.TrimSpace(string(out)), err
}

// hash stores the bytes of files. It runs no filter of the repository.
func (t *taking) hash(files []file) ([]string, error) {
	var in []byte
	for _, f := range files {
		in = append(in, quote(f.source)...)
	}
	out, err := t.gitWith(in, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	oids := git.Lines(out)
	if len(oids) != len(files) {
		return nil, fmt.Errorf("git hash-object gave %d answers for %d files", len(oids), len(files))
	}
	return oids, nil
}

// stagedLines returns the entries of the index in the form of update-index. Of an unmerged
// file it returns our side.
func stagedLines(entries []entry) (in []byte) {
	for _, e := range entries {
		if slices.Contains([]string{"0", "2"}, e.stage) {
			in = fmt.Appendf(in, "%s %s 0\t%s\x00", e.mode, e.oid, e.path)
		}
	}
	return in
}

// workLines returns the differences of the work tree from the index, in the form of
// update-index. Absent files come first, because one may be a directory now.
func (t *taking) workLines(oids []string) (in []byte) {
	sort.Strings(t.absent)
	for _, path := range slices.Compact(t.absent) {
		in = fmt.Appendf(in, "0 %s\t%s\x00", zeroOID(oids[0]), path)
	}
	for i, f := range t.kept {
		in = fmt.Appendf(in, "%s %s 0\t%s\x00", f.mode, oids[i], f.path)
	}
	return in
}

// zeroOID returns git's name for no object, with the length of like.
func zeroOID(like string) string { return strings.Repeat("0", len(like)) }

// writeTree adds entries to the temporary index and writes its tree.
func (t *taking) writeTree(in []byte) (string, error) {
	if _, err := t.gitOwnIndex(in, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	out, err := t.gitOwnIndex(nil, "write-tree", "--missing-ok")
	return strings.TrimSpace(string(out)), err
}

// An entry is one line of the index.
type entry struct {
	sparse                 bool // a sparse checkout leaves it out of the work tree
	mode, oid, stage, path string
}

// parseIndex reads git ls-files -z -t -s: "H 100644 <oid> 0\t<path>".
func parseIndex(out []byte) (entries []entry) {
	for _, record := range git.Records(out) {
		head, path, _ := strings.Cut(record, "\t")
		part := strings.Split(head, " ")
		if len(part) == 4 && path != "" {
			entries = append(entries, entry{part[0] == "S", part[1], part[2], part[3], path})
		}
	}
	return entries
}

// quote returns a path in the form in which git reads it from a line.
func quote(path string) []byte {
	b := []byte{'"'}
	for i := range len(path) {
		switch c := path[i]; {
		case strings.IndexByte(`"\`, c) >= 0:
			b = append(b, '\\', c)
		case c < ' ' || c == 0x7f:
			b = fmt.Appendf(b, `\%03o`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"', '\n')
}
