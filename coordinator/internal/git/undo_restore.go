package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Plan is what restoring one picture would change now. Newer names work that
// was done after the step and would be overwritten; Left what stays as it is.
// Each part of a plan that was carried out is not in the next one, so one that
// broke off is simply made again.
type Plan struct {
	Now   undo.Picture // how things stand, held for the snapshot that undoes the undoing
	Newer []string
	Left  []string

	root   string
	tree   string // of the picture that comes back
	write  []string
	raw    map[string]file // of write: what comes back byte by byte
	delete []string
	index  []byte // lines for update-index
	sparse []byte // of these, what a sparse checkout leaves out of the work tree
	refs   []byte // lines for update-ref
	head   string // the branch that HEAD is to name
	named  []string
	stash  []undo.Stash // oldest first
	since  time.Time    // of Now
	ran    time.Time    // the step was over; zero while nobody knows
}

// Nothing reports whether there is nothing to change.
func (p *Plan) Nothing() bool {
	return len(p.write)+len(p.delete)+len(p.index)+len(p.refs)+len(p.stash) == 0 && p.head == ""
}

// Did says in a few words what the plan changes.
func (p *Plan) Did() string {
	var parts []string
	for _, n := range []struct {
		n    int
		what string
	}{{len(p.write), "restored"}, {len(p.delete), "removed again"}} {
		if n.n > 0 {
			parts = append(parts, strconv.Itoa(n.n)+" "+map[bool]string{true: "file", false: "files"}[n.n == 1]+" "+n.what)
		}
	}
	if len(p.named) > 0 {
		parts = append(parts, undo.Some(p.named)+" set back")
	}
	if len(p.stash) > 0 {
		parts = append(parts, "stash put back on top")
	}
	if len(parts) == 0 && len(p.index) > 0 {
		parts = append(parts, "index restored")
	}
	if len(p.Left) > 0 {
		parts = append(parts, "left as it is: "+undo.Some(p.Left))
	}
	return strings.Join(parts, ", ")
}

// Plan looks at what restoring before would change. after is how things stood
// behind the step, nil while nobody knows: then whatever differs may be newer
// work. So is a file that was written after ran, when the step was over. The
// present is held for id.
func (s Snapshots) Plan(ctx context.Context, before undo.Picture, after *undo.Picture, ran time.Time, id undo.ID, part string) (*Plan, error) {
	since := time.Now()
	now, err := s.Take(ctx, before.Again(), id, part)
	if err != nil {
		return nil, err
	}
	v, end, err := s.begin(ctx, before.Scope.Root)
	if err != nil {
		return nil, err
	}
	defer end()
	p := &Plan{Now: now, root: before.Scope.Root, tree: before.Tree, raw: map[string]file{}, since: since, ran: ran}
	if before.Tree != "" {
		err = errors.Join(v.planFiles(p, before, after), v.planIndex(p, before, after))
	}
	p.planRefs(before, after)
	p.planStashes(before)
	p.Newer = slices.Compact(p.Newer)
	return p, err
}

// A change is one path in two trees; an absent side has the mode 000000.
type change struct{ from, to string }

const absent = "000000"

func there(entry string) bool  { return !strings.HasPrefix(entry, absent) }
func module(entry string) bool { return strings.HasPrefix(entry, "160000") }

// changes compares two trees: path to mode and object of both sides.
func (v *view) changes(a, b string) (map[string]change, error) {
	out, err := v.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-abbrev", a, b)
	if err != nil {
		return nil, err
	}
	all := map[string]change{}
	list := records(out)
	for i := 0; i+1 < len(list); i += 2 { // ":100644 100644 <oid> <oid> M", then the path
		part := strings.Fields(strings.TrimPrefix(string(list[i]), ":"))
		if len(part) < 5 {
			return nil, fmt.Errorf("git diff-tree: a line that we do not know: %q", list[i])
		}
		all[string(list[i+1])] = change{part[0] + " " + part[2], part[1] + " " + part[3]}
	}
	return all, nil
}

// planFiles finds the files that the step changed and that are to be set back.
func (v *view) planFiles(p *Plan, before undo.Picture, after *undo.Picture) error {
	now, err := v.changes(before.Tree+":work", p.Now.Tree+":work")
	if err != nil {
		return err
	}
	step := now
	if after != nil {
		if step, err = v.changes(before.Tree+":work", after.Tree+":work"); err != nil {
			return err
		}
	}
	made, err := v.made(before, after)
	if err != nil {
		return err
	}
	for _, path := range sorted(step) {
		if at, differs := now[path]; differs {
			asLeft := after != nil && at.to == step[path].to && !p.writtenSince(path)
			p.planFile(path, at, asLeft, made(path))
		}
	}
	if len(p.write) <= maxMatches {
		p.Now.Scope.Paths = slices.Concat(p.Now.Scope.Paths, p.write) // what undoing the undoing may remove again
	}
	return v.bytewise(p, before.Tree)
}

// writtenSince reports whether a file was written when the step was over. The
// look behind the step comes a moment later.
func (p *Plan) writtenSince(path string) bool {
	info, err := os.Lstat(filepath.Join(p.root, path))
	return err == nil && !p.ran.IsZero() && info.ModTime().After(p.ran)
}

// made returns what tells whether a file that was not in the picture was not in
// the work tree either, so that the step made it: it was looked for by its
// name, or git has it. Else it may have been there, ignored.
func (v *view) made(before undo.Picture, after *undo.Picture) (func(path string) bool, error) {
	if after == nil {
		return func(string) bool { return false }, nil
	}
	tracked, err := v.entries(after.Tree)
	return func(path string) bool {
		return tracked[path] != "" ||
			slices.ContainsFunc(before.Scope.Paths, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
	}, err
}

// planFile decides about one file that differs from how it was. A file that
// the step made goes only when nobody has touched it since.
func (p *Plan) planFile(path string, at change, asLeft, made bool) {
	switch {
	case module(at.from) || module(at.to):
		p.Left = append(p.Left, path+" (a submodule)")
	case !there(at.from) && asLeft && made:
		p.delete = append(p.delete, path)
	case !there(at.from):
		p.Left = append(p.Left, path+" (newer)")
	default:
		if there(at.to) && !asLeft {
			p.Newer = append(p.Newer, path)
		}
		p.write = append(p.write, path)
	}
}

// bytewise finds which files of the plan were kept as they were, with their
// permissions.
func (v *view) bytewise(p *Plan, tree string) error {
	over, err := v.changes(tree+":staged", tree+":work")
	if err != nil {
		return err
	}
	out, err := v.git("cat-file", "blob", tree+":modes")
	if err != nil {
		return err
	}
	perms := map[string]fs.FileMode{}
	for _, r := range records(out) {
		perm, path, _ := strings.Cut(string(r), " ")
		n, err := strconv.ParseUint(perm, 8, 32)
		if err != nil {
			return fmt.Errorf("the snapshot's permissions: %w", err)
		}
		perms[path] = fs.FileMode(n).Perm()
	}
	for _, path := range p.write {
		c, ok := over[path]
		if !ok {
			continue
		}
		mode, oid, _ := strings.Cut(c.to, " ")
		p.raw[path] = file{path: path, source: oid, mode: mode, perm: perms[path]}
	}
	return nil
}

// planIndex finds the entries of the index that the step changed.
func (v *view) planIndex(p *Plan, before undo.Picture, after *undo.Picture) error {
	if !before.Scope.Tree {
		return nil
	}
	was, err := v.entries(before.Tree)
	if err != nil {
		return err
	}
	now, err := v.entries(p.Now.Tree)
	if err != nil {
		return err
	}
	left := now
	if after != nil {
		if left, err = v.entries(after.Tree); err != nil {
			return err
		}
	}
	for _, path := range sorted(was, left) {
		if was[path] == left[path] || was[path] == now[path] {
			continue
		}
		if now[path] != left[path] {
			p.Newer = append(p.Newer, path+" (staged)")
		}
		p.index = append(p.index, remove(path, before.Tree)...)
		for _, r := range records([]byte(was[path])) {
			e, _ := parseEntry(string(r))
			p.index = fmt.Appendf(p.index, "%s %s %s\t%s\x00", e.mode, e.oid, e.stage, e.path)
			if e.tag == "S" {
				p.sparse = append(append(p.sparse, e.path...), 0)
			}
		}
	}
	return nil
}

// entries reads the index of a picture: path to its lines.
func (v *view) entries(tree string) (map[string]string, error) {
	out, err := v.git("cat-file", "blob", tree+":index")
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, r := range records(out) {
		e, ok := parseEntry(string(r))
		if e.tag != "S" {
			e.tag = "H"
		}
		if ok {
			all[e.path] += fmt.Sprintf("%s %s %s %s\t%s\x00", e.tag, e.mode, e.oid, e.stage, e.path)
		}
	}
	return all, nil
}

func sorted[V any](maps ...map[string]V) []string {
	var names []string
	for _, m := range maps {
		for name := range m {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// planRefs finds the refs that the step moved or deleted. A ref that the step
// made stays.
func (p *Plan) planRefs(before undo.Picture, after *undo.Picture) {
	for _, r := range before.Refs {
		now := oidOf(p.Now.Refs, r.Name)
		left := now
		if after != nil {
			left = oidOf(after.Refs, r.Name)
		}
		if r.OID == "" || now == r.OID || left == r.OID {
			continue
		}
		if now != "" && (after == nil || now != left) {
			p.Newer = append(p.Newer, r.Name)
		}
		old := now
		if old == "" {
			old = strings.Repeat("0", len(r.OID))
		}
		if r.Name == "HEAD" && p.Now.Head != "" {
			old = "" // it names a branch now; what that points to is not its own
		}
		p.refs = fmt.Appendf(p.refs, "%supdate %s %s%s\n", map[bool]string{true: "option no-deref\n"}[r.Name == "HEAD"], r.Name, r.OID, strings.TrimRight(" "+old, " "))
		p.named = append(p.named, called(r.Name))
	}
	moved := before.Scope.Tree && before.Head != p.Now.Head
	if !moved || after != nil && after.Head == before.Head {
		return // the step left HEAD where it was
	}
	if before.Head != "" {
		p.head = before.Head
		p.named = append(p.named, "HEAD")
	}
	if after == nil || p.Now.Head != after.Head {
		p.Newer = append(p.Newer, "HEAD")
	}
}

// called is a ref for people. What is known here of another machine's branch
// changes nothing there.
func called(name string) string {
	if short, ok := strings.CutPrefix(name, "refs/remotes/"); ok {
		return short + " (here alone; the remote needs a push)"
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/tags/")
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
			p.stash = append(p.stash, s)
		}
	}
}

// Apply carries a plan out. It may break off at any point and be planned and
// applied again.
func (s Snapshots) Apply(ctx context.Context, p *Plan) error {
	v, end, err := s.begin(ctx, p.root)
	if err != nil {
		return err
	}
	defer end()
	for _, step := range []func(*Plan) error{v.applyFiles, v.applyIndex, v.applyRefs, v.applyStashes} {
		if err := step(p); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) applyIndex(p *Plan) error {
	if len(p.index) == 0 {
		return nil
	}
	_, err := v.feed(p.index, "update-index", "-z", "--index-info") // takes git's own lock
	if err == nil && len(p.sparse) > 0 {
		_, err = v.feed(p.sparse, "update-index", "-z", "--skip-worktree", "--stdin")
	}
	return err
}

func (v *view) applyRefs(p *Plan) error {
	if len(p.refs) > 0 {
		if _, err := v.feed(p.refs, "update-ref", "-m", "afar undo", "--stdin"); err != nil {
			return err
		}
	}
	if p.head == "" {
		return nil
	}
	_, err := v.git("symbolic-ref", "-m", "afar undo", "HEAD", p.head)
	return err
}

func (v *view) applyStashes(p *Plan) error {
	for _, s := range p.stash {
		if _, err := v.git("stash", "store", "-m", s.Text, s.OID); err != nil {
			return err
		}
	}
	return nil
}

// applyFiles sets the work tree back. Nothing is written outside of it,
// whatever links lie in it.
func (v *view) applyFiles(p *Plan) error {
	if len(p.write)+len(p.delete) == 0 {
		return nil
	}
	root, err := os.OpenRoot(v.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range p.delete {
		if err := v.deleteFile(root, p, path); err != nil {
			return err
		}
	}
	if err := v.checkOut(p); err != nil {
		return err
	}
	objects, end := v.objects()
	defer end()
	for _, path := range p.write {
		if err := v.writeFile(root, p, path, objects); err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
	}
	return nil
}

// objects starts one git that hands out blobs by name.
func (v *view) objects() (get func(oid string) ([]byte, error), end func()) {
	cmd := v.repo.command(v.ctx, nil, "cat-file", "--batch")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return func(string) ([]byte, error) { return nil, err }, func() {}
	}
	r := bufio.NewReader(out)
	return func(oid string) ([]byte, error) { return object(in, r, oid) }, func() { in.Close(); _ = cmd.Wait() }
}

// object asks for one blob: its name goes in; "<oid> blob <size>", a line end,
// the bytes and a line end come out.
func object(in io.Writer, out *bufio.Reader, oid string) ([]byte, error) {
	if _, err := fmt.Fprintln(in, oid); err != nil {
		return nil, err
	}
	line, err := out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	part := strings.Fields(line)
	if len(part) != 3 || part[1] != "blob" {
		return nil, fmt.Errorf("git cat-file: %s", strings.TrimSpace(line))
	}
	size, err := strconv.ParseInt(part[2], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	text := make([]byte, size+1)
	if _, err := io.ReadFull(out, text); err != nil {
		return nil, err
	}
	return text[:size], nil
}

// meanwhile reports whether a file was written after we looked: it is left
// alone.
func (p *Plan) meanwhile(root *os.Root, path string) bool {
	info, err := root.Lstat(path)
	if err != nil || !info.ModTime().After(p.since) || info.ModTime().After(time.Now().Add(time.Minute)) {
		return false // a time in the future says nothing
	}
	p.Left = append(p.Left, path+" (written meanwhile)")
	return true
}

func (v *view) deleteFile(root *os.Root, p *Plan, path string) error {
	if p.meanwhile(root, path) {
		return nil
	}
	if err := root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := filepath.Dir(path); dir != "." && root.Remove(dir) == nil; dir = filepath.Dir(dir) {
		continue // what is empty goes with it, as git does
	}
	return nil
}

// checkOut writes the files that git had unchanged below our own directory,
// through its conversions of line ends. What a filter of the repository's made
// is left out: that program is not ours to run.
func (v *view) checkOut(p *Plan) error {
	var names []byte
	for _, path := range p.write {
		if _, ok := p.raw[path]; !ok {
			names = append(append(names, path...), 0)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if _, err := v.aside("out", nil, "read-tree", p.tree+":staged"); err != nil {
		return err
	}
	filtered, err := v.filtered(names)
	if err != nil {
		return err
	}
	p.write = slices.DeleteFunc(p.write, func(path string) bool {
		if filtered[path] {
			p.Left = append(p.Left, path+" (a filter makes it: git checkout -- "+path+")")
		}
		return filtered[path]
	})
	_, err = v.aside("out", names, "checkout-index", "-z", "--stdin", "--prefix="+filepath.Join(v.tmp, "out.d")+"/")
	return err
}

func (v *view) filtered(names []byte) (map[string]bool, error) {
	out, err := v.aside("out", names, "check-attr", "--cached", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	list := records(out)
	for i := 0; i+2 < len(list); i += 3 { // path, "filter", value
		if value := string(list[i+2]); value != "unspecified" && value != "unset" {
			all[string(list[i])] = true
		}
	}
	return all, nil
}

// writeFile puts one file in place, whole or not at all.
func (v *view) writeFile(root *os.Root, p *Plan, path string, objects func(string) ([]byte, error)) error {
	if p.meanwhile(root, path) {
		return nil
	}
	f, text, err := v.content(p, path, objects)
	if err != nil {
		return err
	}
	if err := noLinks(root, filepath.Dir(path)); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := root.Lstat(path); err == nil && info.IsDir() {
		if err := root.Remove(path); err != nil {
			return fmt.Errorf("a directory is in its place: %w", err)
		}
	}
	aside := filepath.Join(filepath.Dir(path), ".afar-undo-"+shortName(path))
	if err := root.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // what a restoring that died has left
	}
	if f.mode == "120000" {
		err = root.Symlink(string(text), aside)
	} else {
		err = writeAside(root, aside, text, f.perm, len(p.write) <= maxSynced)
	}
	if err != nil {
		return err
	}
	return root.Rename(aside, path)
}

// content returns the bytes of a file of the plan.
func (v *view) content(p *Plan, path string, objects func(string) ([]byte, error)) (file, []byte, error) {
	if f, ok := p.raw[path]; ok {
		text, err := objects(f.source)
		return f, text, err
	}
	name := filepath.Join(v.tmp, "out.d", path)
	info, err := os.Lstat(name)
	if err != nil {
		return file{}, nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(name)
		return file{mode: "120000"}, []byte(to), err
	}
	text, err := os.ReadFile(name)
	return file{perm: 0o644 | info.Mode().Perm()&0o111}, text, err
}

// noLinks makes sure that a directory is what its name says: through a link we
// would write over something else.
func noLinks(root *os.Root, dir string) error {
	for ; dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link now", dir)
		}
	}
	return nil
}

// maxSynced is up to how many files are waited for to reach the disk one by
// one. For more of them that would take minutes.
const maxSynced = 1000

func writeAside(root *os.Root, name string, text []byte, perm fs.FileMode, synced bool) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if synced {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Chmod(perm), f.Close())
}
