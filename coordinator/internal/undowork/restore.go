package undowork

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Plan lists what a restore of one picture would change now. It does not contain what
// an earlier plan has done, so an interrupted restore is simply planned again.
type Plan struct {
	Now   undo.Picture // the present, kept for the snapshot that undoes this restoring
	Newer []string     // work that was done after the step and would be overwritten
	Left  []string     // what stays as it is

	root              string
	tree              string // of the picture that comes back
	changes           []item
	since             time.Time // when Now was looked at
	ran               time.Time // when the step was over; zero while unknown
	restored, removed int       // files
}

// A kind is a kind of item. The kinds are restored in this order.
type kind int

const (
	file kind = iota
	index
	ref
	head
	stash
)

// An item is one thing that a step may change, with its value before the step, after it, and
// now. The value is "" where the item does not exist.
type item struct {
	kind
	name               string // of a stash, its text
	before, after, now string
}

// unknown is the value of every item after a step if nobody looked.
const unknown = "unknown"

// Did returns in a few words what the plan changed, and what it left as it is.
func (p *Plan) Did() string {
	var parts, moved []string
	if p.restored > 0 {
		parts = append(parts, text.Count(p.restored, "file")+" restored")
	}
	if p.removed > 0 {
		parts = append(parts, text.Count(p.removed, "file")+" removed again")
	}
	for _, it := range append(p.of(ref), p.of(head)...) {
		moved = append(moved, undo.Ref{Name: it.name}.Short())
	}
	if len(moved) > 0 {
		parts = append(parts, undo.Some(moved)+" set back")
	}
	if len(p.of(stash)) > 0 {
		parts = append(parts, "stash put back on top")
	}
	if len(parts) == 0 && len(p.of(index)) > 0 {
		parts = append(parts, "index restored")
	}
	if len(p.Left) > 0 {
		parts = append(parts, "left as it is: "+undo.Some(p.Left))
	}
	return strings.Join(parts, ", ")
}

// of returns the changes of one kind.
func (p *Plan) of(k kind) (items []item) {
	for _, it := range p.changes {
		if it.kind == k {
			items = append(items, it)
		}
	}
	return items
}

// Plan returns what a restore of before would change. after is the picture that was taken
// after the step; without it, every difference may be newer work. A file that was written
// after ran, the end of the step, is newer work too. The present state is kept under id.
func (k Keeper) Plan(
	ctx context.Context, before undo.Picture, after *undo.Picture, ran time.Time, id undo.ID,
) (*Plan, error) {
	p := &Plan{root: before.Scope.Root, tree: before.Tree, since: time.Now(), ran: ran}
	var err error
	if p.Now, err = k.Take(ctx, before.Again(), id); err != nil {
		return nil, err
	}
	if before.Tree != "" {
		v, end, err := k.open(ctx, p.root)
		if err != nil {
			return nil, err
		}
		defer end()
		if err := v.planTree(p, before, after); err != nil {
			return nil, err
		}
	}
	p.planRefs(before, after)
	return p, nil
}

// add plans one item. A file that did not exist before is removed only if the step made it.
func (p *Plan) add(it item, isMadeByStep bool) {
	if slices.Contains([]string{it.now, it.after}, it.before) {
		return // it is as it was, or the step did not change it
	}
	isWrittenSince := it.kind == file && p.isWrittenAfter(it.name, p.ran)
	isAsLeft := it.now == it.after && !isWrittenSince
	switch {
	case strings.HasPrefix(it.before, submodule), strings.HasPrefix(it.now, submodule):
		p.Left = append(p.Left, it.name+" (a submodule)")
		return
	case it.before == "" && !(isAsLeft && isMadeByStep):
		p.Left = append(p.Left, it.name+" (newer)")
		return
	case it.now != "" && !isAsLeft:
		p.Newer = append(p.Newer, it.name)
	}
	p.changes = append(p.changes, it)
}

// isWrittenAfter reports whether a file was written after a time. A time in the future means
// nothing.
func (p *Plan) isWrittenAfter(path string, at time.Time) bool {
	info, err := os.Lstat(filepath.Join(p.root, path))
	if err != nil || at.IsZero() {
		return false
	}
	return info.ModTime().After(at) && info.ModTime().Before(time.Now().Add(time.Minute))
}

// The values of entries of a tree that are not files begin with these modes.
const (
	submodule = "160000 "
	subtree   = "040000 "
	missing   = "000000 "
)

// A difference holds the values of one path in two trees.
type difference struct{ from, to string }

// compare returns the files below work that differ between the trees of two pictures, and
// the index under the name "staged".
func (v *view) compare(a, b string) (map[string]difference, error) {
	out, err := v.git("diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-abbrev", a, b)
	if err != nil {
		return nil, err
	}
	all := map[string]difference{}
	for record := range slices.Chunk(git.Records(out), 2) { // ":100644 100644 <oid> <oid> M", then the path
		part := strings.Fields(strings.TrimPrefix(record[0], ":"))
		if len(part) != 5 || len(record) != 2 {
			return nil, fmt.Errorf("git diff-tree printed %q", record)
		}
		path, isFile := strings.CutPrefix(record[1], "work/")
		d := difference{valueOf(part[0], part[2]), valueOf(part[1], part[3])}
		isTree := strings.HasPrefix(d.from+d.to, subtree)
		if isFile && !isTree || path == "staged" {
			all[path] = d
		}
	}
	return all, nil
}

// valueOf returns the value of an entry of a tree.
func valueOf(mode, oid string) string {
	if value := mode + " " + oid; !strings.HasPrefix(value, missing) {
		return value
	}
	return ""
}

// planTree plans the files and the index that the step changed.
func (v *view) planTree(p *Plan, before undo.Picture, after *undo.Picture) error {
	toNow, err := v.compare(before.Tree, p.Now.Tree)
	if err != nil {
		return err
	}
	byStep, isTracked := toNow, map[string]bool{}
	if after != nil {
		if byStep, err = v.compare(before.Tree, after.Tree); err != nil {
			return err
		}
		if isTracked, err = v.tracked(after.Tree); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byStep)) {
		d := byStep[path]
		it := item{file, path, d.from, d.to, d.from}
		if d, ok := toNow[path]; ok {
			it.now = d.to
		}
		if after == nil {
			it.after = unknown
		}
		if path == "staged" {
			it.kind, it.name = index, "the index (staged since)"
		}
		// The picture before would have contained the file. An ignored file may have existed.
		isIn := func(scope string) bool { return strings.HasPrefix(path+"/", scope+"/") }
		p.add(it, isTracked[path] || slices.ContainsFunc(before.Scope.Paths, isIn))
	}
	if files := p.of(file); len(files) <= maxMatches { // a restoring that is undone may remove these again
		for _, it := range files {
			p.Now.Scope.Paths = append(p.Now.Scope.Paths, it.name)
		}
	}
	return nil
}

// tracked returns the files in the index of a picture.
func (v *view) tracked(tree string) (map[string]bool, error) {
	out, err := v.git("ls-tree", "-r", "-z", "--name-only", tree+":staged")
	files := map[string]bool{}
	for _, path := range git.Records(out) {
		files[path] = true
	}
	return files, err
}

// planRefs plans the refs that the step moved or deleted, HEAD, and the stashes. A ref that
// the step made stays.
func (p *Plan) planRefs(before undo.Picture, after *undo.Picture) {
	add := func(k kind, name, value string, valueIn func(undo.Picture) string) {
		it := item{k, name, value, unknown, valueIn(p.Now)}
		if after != nil {
			it.after = valueIn(*after)
		}
		p.add(it, false)
	}
	for _, r := range before.Refs {
		if r.Name != "HEAD" {
			add(ref, r.Name, r.OID, func(in undo.Picture) string { return in.RefValue(r.Name) })
		}
	}
	if before.Scope.Tree {
		add(head, "HEAD", before.HeadValue(), undo.Picture.HeadValue)
	}
	for _, s := range slices.Backward(before.Stashes) {
		add(stash, s.Text, s.OID, func(in undo.Picture) string {
			if slices.ContainsFunc(in.Stashes, func(have undo.Stash) bool { return have.OID == s.OID }) {
				return s.OID
			}
			return ""
		})
	}
}
