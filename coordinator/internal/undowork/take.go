package undowork

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/text"
)

// maxRefs bounds how many refs one picture records.
const maxRefs = 500

// addRefs records HEAD and what the refs of the scope point to.
func (v *view) addRefs(p *undo.Picture) error {
	var patterns []string
	for _, name := range p.Scope.Refs {
		patterns = append(patterns, patternsOf(name)...)
	}
	branch, err := v.repo.Line(v.ctx, "symbolic-ref", "-q", "HEAD")
	switch {
	case err == nil && p.Scope.Tree:
		p.Head, patterns = branch, append(patterns, branch)
	case err == nil:
		p.Head = branch
	case p.Scope.Tree:
		oid, err := v.repo.Line(v.ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}")
		if err != nil {
			return err
		}
		p.Refs = append(p.Refs, undo.Ref{Name: "HEAD", OID: oid})
	}
	if len(patterns) == 0 {
		return nil
	}
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)"}, patterns...)
	out, err := v.git(args...)
	for _, line := range git.Lines(out) {
		oid, rest, _ := strings.Cut(line, " ")
		name, target, _ := strings.Cut(rest, " ")
		if target == "" && !strings.HasPrefix(name, refs) { // a symbolic ref itself is not recorded
			p.Refs = append(p.Refs, undo.Ref{Name: name, OID: oid})
		}
	}
	if over := len(p.Refs) - maxRefs; over > 0 {
		p.Refs, p.Left = p.Refs[:maxRefs], append(p.Left, text.Count(over, "ref"))
	}
	return err
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
	for _, line := range git.Lines(out) {
		oid, text, _ := strings.Cut(line, " ")
		p.Stashes = append(p.Stashes, undo.Stash{OID: oid, Text: text})
	}
	return err
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
	kept   []string
	modes  strings.Builder
	absent []string // perhaps in the index, but not in the work tree
	over   []string // above the bounds
}

func (t *taking) tree() (string, error) {
	staged := ""
	if t.picture.Scope.Tree {
		if err := t.addChanges(); err != nil {
			return "", err
		}
		out, err := t.git("ls-files", "-z", "-t", "-s")
		if err != nil {
			return "", err
		}
		staged = t.addIndex(out)
	}
	for _, path := range t.picture.Scope.Paths {
		t.add(path)
	}
	if len(t.over) > 0 {
		t.leave(text.Count(len(t.over), "file") + " above the bounds (" + undo.Some(t.over) + ")")
	}
	return t.write(staged)
}

// addIndex reads git ls-files -z -t -s: "H 100644 <oid> 0\t<path>". It returns the entries in
// the form of update-index; of an unmerged file it returns our side. A file that a sparse
// checkout leaves out is absent. The files that addChanges did not find are as in the index,
// and need not be kept.
func (t *taking) addIndex(out []byte) string {
	var lines strings.Builder
	for _, record := range git.Records(out) {
		tag, rest, _ := strings.Cut(record, " ")
		entry, path, _ := strings.Cut(rest, "\t")
		object, stage := entry[:max(0, len(entry)-1)], entry[max(0, len(entry)-1):]
		t.seen[path] = true
		if slices.Contains([]string{"0", "2"}, stage) {
			fmt.Fprintf(&lines, "%s0\t%s\x00", object, path)
		}
		if tag == "S" {
			t.absent = append(t.absent, path)
		}
	}
	return lines.String()
}

// addChanges adds the files that differ from the index, and those that are not
// in it.
func (t *taking) addChanges() error {
	args := []string{"--ignore-submodules=all"}
	if t.picture.Scope.Ignored {
		args = append(args, "--ignored=traditional")
	}
	changes, err := t.repo.Status(t.ctx, args...)
	for _, c := range changes {
		rebuildable := git.Rebuildable(c.Path)
		isTracked := !slices.Contains([]byte{'?', '!'}, c.Kind)
		switch {
		case c.Kind == '1' && (c.Work == '.' || c.Sub):
		case c.Kind == '1' && c.Work == 'D':
			t.absent = append(t.absent, c.Path)
		case rebuildable != "" && !isTracked:
			t.leave(rebuildable + canBeRebuilt)
		default:
			t.add(c.Path)
		}
	}
	return err
}

// add keeps a file, or all files of a directory. It leaves out a repository in there, whose
// history it cannot keep.
func (t *taking) add(path string) {
	_ = filepath.WalkDir(filepath.Join(t.root, path), func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(t.root, name)
		switch {
		case d == nil:
			t.absent = append(t.absent, rel)
			return nil
		case err != nil:
			t.leave(rel + " (unreadable)")
			return fs.SkipDir
		case t.ctx.Err() != nil:
			return fs.SkipAll
		case d.IsDir():
			return t.enter(rel)
		}
		if info, err := d.Info(); err == nil && !t.seen[rel] && !git.InGitDir(rel) {
			t.seen[rel] = true
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
	isLink := info.Mode()&fs.ModeSymlink != 0
	switch {
	case !isLink && !info.Mode().IsRegular():
		t.leave(path + " (not a file)")
		return
	case !isLink && !isReadable(filepath.Join(t.root, path)):
		t.leave(path + " (unreadable)")
		return
	case info.Size() > t.bytes, len(t.kept) >= t.files:
		t.over = append(t.over, path)
		return
	}
	t.bytes -= info.Size()
	t.kept = append(t.kept, path)
	fmt.Fprintf(&t.modes, "%o %s\x00", info.Mode().Perm(), path)
	t.picture.Files++
	t.picture.Bytes += info.Size()
}

func isReadable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// write makes the objects and returns the tree that contains all of them. Absent files go
// before kept ones are added, because one may be a directory now.
func (t *taking) write(staged string) (string, error) {
	if err := t.openRaw(); err != nil {
		return "", err
	}
	var tree strings.Builder
	for _, step := range []struct {
		in     string
		args   string
		prefix string // of the line in the tree, if the step makes an object
		name   string
	}{
		{in: staged, args: "update-index -z --index-info"},
		{args: "write-tree --missing-ok", prefix: "040000 tree", name: "staged"},
		{in: nulls(t.absent), args: "update-index --force-remove -z --stdin"},
		{in: nulls(t.kept), args: "update-index --add --remove --replace -z --stdin"},
		{args: "write-tree --missing-ok", prefix: "040000 tree", name: "work"},
		{in: t.modes.String(), args: "hash-object -w --stdin", prefix: "100644 blob", name: "modes"},
	} {
		if step.in+step.name == "" {
			continue // there is nothing to change
		}
		out, err := t.gitWith(t.raw, step.in, strings.Fields(step.args)...)
		if err != nil {
			return "", err
		}
		if step.name != "" {
			fmt.Fprintf(&tree, "%s %s\t%s\n", step.prefix, strings.TrimSpace(string(out)), step.name)
		}
	}
	out, err := t.gitWith(t.raw, tree.String(), "mktree")
	return strings.TrimSpace(string(out)), err
}
