package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// Snapshots takes pictures of repositories and brings them back. Neither the
// person's index nor the work tree is touched by taking one: it is made of
// objects of the repository and held by refs that no branch, tag or ordinary
// push knows.
type Snapshots struct {
	Dir   string // for its own files while it works, closed to others
	Bytes int64  // how much is kept of one repository
	Files int
}

// NewSnapshots returns Snapshots with the bounds of a day's work.
func NewSnapshots(dir string) Snapshots { return Snapshots{Dir: dir, Bytes: 200 << 20, Files: 20_000} }

// Clear removes what a taking that died has left.
func (s Snapshots) Clear() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("clear snapshots: %w", err)
	}
	return nil
}

// refs is where snapshots are held: <refs>/<id>/<name>.
const refs = "refs/afar/undo/"

// maxRefs bounds the refs that one snapshot records.
const maxRefs = 500

// quiet keeps git from leaving traces of its own, and from refusing names that
// are only bad on another system: we write files through os.Root.
var quiet = []string{
	"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.untrackedCache=false", "-c", "core.logAllRefUpdates=false",
	"-c", "core.protectNTFS=false", "-c", "core.protectHFS=false", "-c", "core.quotePath=false", "-c", "protocol.allow=never",
}

// A view is one repository as it is being looked at or restored.
type view struct {
	ctx  context.Context
	repo repo
	root string
	tmp  string
}

// begin opens a repository; end removes what was written meanwhile.
func (s Snapshots) begin(ctx context.Context, root string) (v *view, end func(), err error) {
	if _, err := os.Stat(root); err != nil {
		return nil, nil, fmt.Errorf("%s is gone; where it was a worktree, git worktree add %s makes it again", root, root)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	tmp, err := os.MkdirTemp(s.Dir, "work-")
	if err != nil {
		return nil, nil, err
	}
	v = &view{ctx: ctx, repo: open(ctx, root), root: root, tmp: tmp}
	return v, func() { _ = os.RemoveAll(tmp) }, nil
}

func (v *view) git(args ...string) ([]byte, error) { return v.feed(nil, args...) }

func (v *view) feed(in []byte, args ...string) ([]byte, error) {
	return v.repo.pipe(v.ctx, in, nil, append(slices.Clip(quiet), args...)...)
}

// aside is feed with an index of our own.
func (v *view) aside(index string, in []byte, args ...string) ([]byte, error) {
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(v.tmp, index)}
	return v.repo.pipe(v.ctx, in, env, append(slices.Clip(quiet), args...)...)
}

// line is the output of git in one line.
func (v *view) line(args ...string) (string, error) {
	out, err := v.git(args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Take makes a picture within a scope and holds it under the name of a
// snapshot. part tells pictures of one snapshot apart. What is above the bounds
// is left out, and the picture says so.
func (s Snapshots) Take(ctx context.Context, scope undo.Scope, id undo.ID, part string) (undo.Picture, error) {
	v, end, err := s.begin(ctx, scope.Root)
	if err != nil {
		return undo.Picture{}, err
	}
	defer end()
	p, err := s.look(v, scope)
	if err == nil {
		err = v.hold(p, refs+string(id)+"/"+part)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}

// hold makes the refs that keep a picture's objects.
func (v *view) hold(p undo.Picture, name string) error {
	var in strings.Builder
	if p.Tree != "" {
		fmt.Fprintf(&in, "update %s/tree %s\n", name, p.Tree)
	}
	seen := map[string]bool{}
	for _, oid := range p.Commits() {
		if !seen[oid] {
			fmt.Fprintf(&in, "update %s/%d %s\n", name, len(seen), oid)
		}
		seen[oid] = true
	}
	_, err := v.feed([]byte(in.String()), "update-ref", "--stdin")
	return err
}

// Forget lets git collect what a snapshot held. A repository that is gone has
// nothing to forget.
func (s Snapshots) Forget(ctx context.Context, root string, id undo.ID) error {
	if _, err := os.Stat(root); err != nil {
		return nil
	}
	v, end, err := s.begin(ctx, root)
	if err != nil {
		return err
	}
	defer end()
	if _, err := v.git("rev-parse", "--git-dir"); err != nil {
		return nil
	}
	out, err := v.git("for-each-ref", "--format=delete %(refname)", refs+string(id)+"/")
	if err == nil && len(out) > 0 {
		_, err = v.feed(out, "update-ref", "--stdin")
	}
	return err
}

// Scopes finds the repositories of losses, and what to look at in each. why
// says what can not be kept at all.
func (s Snapshots) Scopes(ctx context.Context, losses []undo.Loss) (scopes []undo.Scope, why string) {
	for _, l := range losses {
		where := l.Dir
		if l.Path != "" {
			where = holder(l.Path)
		}
		root, bare := top(ctx, where)
		if whole(l.Path) {
			why = l.Path + " is a whole repository, and a snapshot would go with it"
			continue
		}
		if root == "" {
			continue
		}
		i := slices.IndexFunc(scopes, func(c undo.Scope) bool { return c.Root == root })
		if i < 0 {
			i = len(scopes)
			scopes = append(scopes, undo.Scope{Root: root, Bare: bare})
		}
		widen(&scopes[i], l)
	}
	return slices.DeleteFunc(scopes, nothing), why
}

func nothing(c undo.Scope) bool {
	return !c.Tree && !c.Stashes && len(c.Paths) == 0 && len(c.Refs) == 0
}

func widen(c *undo.Scope, l undo.Loss) {
	switch {
	case l.Path != "" && !c.Bare:
		for _, p := range below(c.Root, l.Path) {
			if !slices.Contains(c.Paths, p) {
				c.Paths = append(c.Paths, p)
			}
		}
	case l.Ref != "" && !slices.Contains(c.Refs, l.Ref):
		c.Refs = append(c.Refs, l.Ref)
	case l.Stashes:
		c.Stashes = true
	case l.Path == "" && l.Ref == "" && !c.Bare:
		c.Tree, c.Ignored = true, c.Ignored || l.Ignored
	}
}

// maxMatches bounds what a pattern of a command may name.
const maxMatches = 5000

// below returns what a path or a pattern names in a repository, relative to it.
// The repository's own files are not ours to keep.
func below(root, path string) (out []string) {
	names, err := filepath.Glob(path)
	if err != nil || len(names) == 0 || len(names) > maxMatches {
		names = []string{plainBase(path)}
	}
	for _, name := range names {
		dir, err := filepath.EvalSymlinks(filepath.Dir(name))
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(root, filepath.Join(dir, filepath.Base(name)))
		if err == nil && filepath.IsLocal(rel) && !ownPath(rel) {
			out = append(out, rel)
		}
	}
	return out
}

// plainBase is the part of a pattern before its first wildcard.
func plainBase(path string) string {
	i := strings.IndexAny(path, `*?[\`)
	if i < 0 {
		return path
	}
	return filepath.Dir(path[:i] + "x")
}

// ownPath reports whether a relative path lies in a .git.
func ownPath(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isDotGit)
}

func isDotGit(name string) bool { return strings.EqualFold(name, ".git") }

// holder is the nearest directory above path that exists.
func holder(path string) string {
	dir := plainBase(path)
	if dir == path {
		dir = filepath.Dir(path)
	}
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// whole reports whether path is a repository, or holds its .git.
func whole(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(path, ".git"))
	return err == nil
}

// top returns the top of the work tree around dir, or the repository itself
// where there is no work tree; "" is neither.
func top(ctx context.Context, dir string) (root string, bare bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	r := repo{dir: dir}
	if out, err := r.run(ctx, "rev-parse", "--show-toplevel"); err == nil {
		return strings.TrimSuffix(string(out), "\n"), false
	}
	out, err := r.run(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return "", false
	}
	return strings.TrimSuffix(string(out), "\n"), true
}

// look makes a picture out of objects; nothing holds them yet.
func (s Snapshots) look(v *view, scope undo.Scope) (undo.Picture, error) {
	p := undo.Picture{Scope: scope}
	err := errors.Join(v.refs(&p), v.stashes(&p))
	if err != nil || scope.Bare || !scope.Tree && len(scope.Paths) == 0 {
		return p, err
	}
	l := &looking{view: v, picture: &p, bytes: s.Bytes, files: s.Files}
	if p.Tree, err = l.tree(); err != nil && v.ctx.Err() == nil {
		l = &looking{view: v, picture: &p, bytes: s.Bytes, files: s.Files} // somebody was writing: once more
		p.Files, p.Bytes, p.Left = 0, 0, nil
		p.Tree, err = l.tree()
	}
	return p, err
}

// refs records what the scope's refs point to, and where HEAD stands.
func (v *view) refs(p *undo.Picture) error {
	head, err := v.line("symbolic-ref", "-q", "HEAD")
	var patterns []string
	switch {
	case err == nil:
		p.Head = head
		if p.Scope.Tree {
			patterns = append(patterns, head)
		}
	case p.Scope.Tree:
		oid, err := v.line("rev-parse", "-q", "--verify", "HEAD^{commit}")
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
	out, err := v.git(append([]string{"for-each-ref", "--format=%(refname) %(objectname) %(symref)"}, patterns...)...)
	if err != nil {
		return err
	}
	for _, line := range lines(string(out), "\n") {
		part := strings.SplitN(line, " ", 3)
		if len(part) < 3 || part[2] != "" || strings.HasPrefix(part[0], refs) {
			continue // a symbolic ref follows another one
		}
		p.Refs = append(p.Refs, undo.Ref{Name: part[0], OID: part[1]})
	}
	if over := len(p.Refs) - maxRefs; over > 0 {
		p.Refs, p.Left = p.Refs[:maxRefs], append(p.Left, strconv.Itoa(over)+" refs")
	}
	return nil
}

// patternsOf returns where a ref may be that a command names.
func patternsOf(name string) []string {
	switch {
	case name == "*":
		return []string{"refs/heads", "refs/tags", "refs/remotes"}
	case strings.HasPrefix(name, "refs/"):
		return []string{name}
	}
	return []string{"refs/heads/" + name, "refs/tags/" + name, "refs/remotes/" + name, "refs/remotes/*/" + name}
}

// stashes records the entries of the stash, newest first.
func (v *view) stashes(p *undo.Picture) error {
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
	for _, line := range lines(string(out), "\n") {
		oid, text, _ := strings.Cut(line, " ")
		p.Stashes = append(p.Stashes, undo.Stash{OID: oid, Text: text})
	}
	return nil
}

// quote writes a path as git reads it from a line.
func quote(path string) []byte {
	b := []byte{'"'}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == 0x7f:
			b = fmt.Appendf(b, `\%03o`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"', '\n')
}

// records splits what git ends with NUL.
func records(out []byte) [][]byte {
	out = bytes.TrimSuffix(out, []byte{0})
	if len(out) == 0 {
		return nil
	}
	return bytes.Split(out, []byte{0})
}

// shortName is a name for what stands for a path for a moment.
func shortName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:6])
}
