package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

	root    string
	tree    string          // of the picture that comes back
	write   []string        // files to be written
	kept    map[string]file // those of write that come back byte by byte
	remove  []string        // files that the step made
	index   string          // the tree that the index gets; "" leaves it alone
	refs    []byte          // lines for update-ref
	head    string          // the branch, or the commit, that HEAD gets
	setBack []string        // refs and HEAD, for people
	stashes []undo.Stash    // oldest first
	since   time.Time       // when Now was looked at
	ran     time.Time       // when the step was over; zero while unknown
}

// Did returns in a few words what the plan changes, and what it leaves as it is.
func (p *Plan) Did() string {
	var parts []string
	if n := len(p.write); n > 0 {
		parts = append(parts, text.Count(n, "file")+" restored")
	}
	if n := len(p.remove); n > 0 {
		parts = append(parts, text.Count(n, "file")+" removed again")
	}
	if len(p.setBack) > 0 {
		parts = append(parts, undo.Some(p.setBack)+" set back")
	}
	if len(p.stashes) > 0 {
		parts = append(parts, "stash put back on top")
	}
	if len(parts) == 0 && p.index != "" {
		parts = append(parts, "index restored")
	}
	if len(p.Left) > 0 {
		parts = append(parts, "left as it is: "+undo.Some(p.Left))
	}
	return strings.Join(parts, ", ")
}

// Plan returns what a restore of before would change. after is the picture that was taken
// after the step; without it, every difference may be newer work. A file that was written
// after ran, the end of the step, is newer work too. The present state is kept under id.
func (k Keeper) Plan(
	ctx context.Context, before undo.Picture, after *undo.Picture, ran time.Time, id undo.ID, part string,
) (*Plan, error) {
	since := time.Now()
	now, err := k.Take(ctx, before.Again(), id, part)
	if err != nil {
		return nil, err
	}
	v, end, err := k.open(ctx, before.Scope.Root)
	if err != nil {
		return nil, err
	}
	defer end()
	p := &Plan{Now: now, root: before.Scope.Root, tree: before.Tree, kept: map[string]file{}, since: since, ran: ran}
	var left undo.Picture
	if after != nil {
		left = *after
	}
	if before.Tree != "" {
		if err := v.planFiles(p, before, after); err != nil {
			return nil, err
		}
		if before.Scope.Tree {
			if err := v.planIndex(p, before.Tree, cmp.Or(left.Tree, now.Tree)); err != nil {
				return nil, err
			}
		}
	}
	p.planRefs(before, left)
	p.planStashes(before)
	p.Newer = slices.Compact(p.Newer)
	return p, nil
}

// A side is a path in one of two trees.
type side struct{ mode, oid string }

func (s side) exists() bool      { return s.mode != "000000" }
func (s side) isSubmodule() bool { return s.mode == "160000" }

// A difference is one path in two trees.
type difference struct{ from, to side }

// compare returns the paths that differ between two trees.
func (v *view) compare(a, b string) (map[string]difference, error) {
	out, err := v.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-abbrev", a, b)
	if err != nil {
		return nil, err
	}
	all := map[string]difference{}
	records := git.Records(out)
	for i := 0; i+1 < len(records); i += 2 { // ":100644 100644 <oid> <oid> M", then the path
		part := strings.Fields(strings.TrimPrefix(records[i], ":"))
		if len(part) < 5 {
			return nil, fmt.Errorf("git diff-tree printed %q", records[i])
		}
		all[records[i+1]] = difference{side{part[0], part[2]}, side{part[1], part[3]}}
	}
	return all, nil
}

// planFiles finds the files that the step changed.
func (v *view) planFiles(p *Plan, before undo.Picture, after *undo.Picture) error {
	now, err := v.compare(before.Tree+":work", p.Now.Tree+":work")
	if err != nil {
		return err
	}
	byStep := now
	createdByStep := func(string) bool { return false }
	if after != nil {
		if byStep, err = v.compare(before.Tree+":work", after.Tree+":work"); err != nil {
			return err
		}
		if createdByStep, err = v.createdByStep(before, *after); err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(byStep)) {
		if d, differs := now[path]; differs {
			isAsLeft := after != nil && d.to == byStep[path].to && !p.isWrittenSince(path)
			p.planFile(path, d, isAsLeft, createdByStep(path))
		}
	}
	if len(p.write) <= maxMatches { // a restoring that is undone may remove these again
		p.Now.Scope.Paths = slices.Concat(p.Now.Scope.Paths, p.write)
	}
	return v.planKept(p, before.Tree)
}

// isWrittenSince reports whether a file was written after the step was over. The picture
// after the step is taken a moment later.
func (p *Plan) isWrittenSince(path string) bool {
	info, err := os.Lstat(filepath.Join(p.root, path))
	if err != nil || p.ran.IsZero() {
		return false
	}
	return info.ModTime().After(p.ran)
}

// createdByStep returns a function that reports whether the step created a file that only
// after has. The step did so if the picture before would have contained the file, because
// its scope names the path, or because git tracks it now. An ignored file may have existed
// before.
func (v *view) createdByStep(before, after undo.Picture) (func(path string) bool, error) {
	out, err := v.git("ls-tree", "-r", "-z", "--name-only", after.Tree+":staged")
	if err != nil {
		return nil, err
	}
	isTracked := map[string]bool{}
	for _, path := range git.Records(out) {
		isTracked[path] = true
	}
	return func(path string) bool {
		isIn := func(scope string) bool { return strings.HasPrefix(path+"/", scope+"/") }
		return isTracked[path] || slices.ContainsFunc(before.Scope.Paths, isIn)
	}, nil
}

// planFile plans one file that differs from the picture. It removes a file that the step
// created only if the file was not written since.
func (p *Plan) planFile(path string, d difference, isAsLeft, isCreated bool) {
	switch {
	case d.from.isSubmodule(), d.to.isSubmodule():
		p.Left = append(p.Left, path+" (a submodule)")
	case d.from.exists():
		if d.to.exists() && !isAsLeft {
			p.Newer = append(p.Newer, path)
		}
		p.write = append(p.write, path)
	case isAsLeft && isCreated:
		p.remove = append(p.remove, path)
	default:
		p.Left = append(p.Left, path+" (newer)")
	}
}

// planKept finds which files of the plan were kept byte by byte.
func (v *view) planKept(p *Plan, tree string) error {
	out, err := v.git("cat-file", "blob", tree+":modes")
	if err != nil {
		return err
	}
	perms := map[string]fs.FileMode{}
	for _, record := range git.Records(out) {
		perm, path, _ := strings.Cut(record, " ")
		n, err := strconv.ParseUint(perm, 8, 32)
		if err != nil {
			return fmt.Errorf("permissions in a snapshot: %w", err)
		}
		perms[path] = fs.FileMode(n).Perm()
	}
	out, err = v.git("ls-tree", "-r", "-z", tree+":work")
	if err != nil {
		return err
	}
	for _, record := range git.Records(out) { // "100644 blob <oid>\t<path>"
		head, path, _ := strings.Cut(record, "\t")
		if perm, ok := perms[path]; ok {
			mode, object, _ := strings.Cut(head, " ")
			p.kept[path] = file{path: path, source: strings.TrimPrefix(object, "blob "), mode: mode, perm: perm}
		}
	}
	return nil
}

// planIndex plans to restore the whole index if the step changed it.
func (v *view) planIndex(p *Plan, before, after string) error {
	out, err := v.git("rev-parse", before+":staged", after+":staged", p.Now.Tree+":staged")
	trees := git.Lines(out)
	if err != nil || len(trees) != 3 {
		return errors.Join(err, fmt.Errorf("git rev-parse: %q", out))
	}
	was, left, now := trees[0], trees[1], trees[2]
	if was == left || was == now {
		return nil
	}
	if left != now {
		p.Newer = append(p.Newer, "the index (staged since)")
	}
	p.index = was
	return nil
}

// planRefs finds the refs that the step moved or deleted. A ref that the step
// made stays. left is the state after the step, empty if it is unknown.
func (p *Plan) planRefs(before, left undo.Picture) {
	for _, r := range before.Refs {
		is, was := oidOf(p.Now.Refs, r.Name), oidOf(left.Refs, r.Name)
		isUnmoved := slices.Contains([]string{"", is, was}, r.OID)
		if isUnmoved || r.Name == "HEAD" {
			continue
		}
		if is != "" && is != was {
			p.Newer = append(p.Newer, r.Name)
		}
		p.refs = fmt.Appendf(p.refs, "update %s %s %s\n", r.Name, r.OID, cmp.Or(is, zeroOID(r.OID)))
		p.setBack = append(p.setBack, nameForPeople(r.Name))
	}
	head, is, was := headOf(before), headOf(p.Now), headOf(left)
	if !before.Scope.Tree || slices.Contains([]string{is, was}, head) {
		return
	}
	if is != was {
		p.Newer = append(p.Newer, "HEAD")
	}
	p.head = head
	p.setBack = append(p.setBack, "HEAD")
}

// headOf returns the branch that HEAD names, or the commit of a detached HEAD.
func headOf(p undo.Picture) string {
	if p.Head != "" {
		return p.Head
	}
	return oidOf(p.Refs, "HEAD")
}

// nameForPeople returns the short name of a ref. To restore a remote-tracking branch changes
// nothing at the remote.
func nameForPeople(ref string) string {
	if short, ok := strings.CutPrefix(ref, "refs/remotes/"); ok {
		return short + " (here alone; the remote needs a push)"
	}
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/tags/")
}

func oidOf(refs []undo.Ref, name string) string {
	for _, r := range refs {
		if r.Name == name {
			return r.OID
		}
	}
	return ""
}

func (p *Plan) planStashes(before undo.Picture) {
	for _, s := range slices.Backward(before.Stashes) {
		if !slices.ContainsFunc(p.Now.Stashes, func(n undo.Stash) bool { return n.OID == s.OID }) {
			p.stashes = append(p.stashes, s)
		}
	}
}
