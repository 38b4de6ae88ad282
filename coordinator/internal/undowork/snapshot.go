package undowork

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Keeper takes snapshots of git repositories and restores them: files, the index, refs, HEAD
// and stashes. Taking one touches neither the person's index nor the work tree. A snapshot
// consists of objects of the repository. Special refs keep these objects; branches, tags and an
// ordinary push do not show them.
type Keeper struct {
	Dir   string // for its own files while it works, closed to others
	Bytes int64  // how much is kept of one repository
	Files int
}

// NewKeeper returns a Keeper with the usual bounds.
func NewKeeper(dir string) Keeper { return Keeper{Dir: dir, Bytes: 200 << 20, Files: 20_000} }

// Clear removes the files of a process that died while it worked.
func (k Keeper) Clear() error {
	if err := os.RemoveAll(k.Dir); err != nil {
		return fmt.Errorf("clear snapshots: %w", err)
	}
	return nil
}

// refs is where the objects of snapshots are kept: <refs>/<id>/<object>.
const refs = "refs/afar/undo/"

// options keep git from writing additional files, and from refusing names that are invalid
// only on other systems. Files are written through os.Root.
var options = []string{
	"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.untrackedCache=false",
	"-c", "core.logAllRefUpdates=false", "-c", "core.protectNTFS=false", "-c", "core.protectHFS=false",
	"-c", "core.quotePath=false", "-c", "protocol.allow=never",
}

// A view is one repository during a snapshot or a restore.
type view struct {
	ctx  context.Context
	repo git.Repo
	root string
	tmp  string   // a directory of our own
	own  []string // the environment for an index of our own
	raw  []string // the environment for git without conversions; see openRaw
}

// open returns a view of the repository at root. The caller calls end, which
// removes the view's own files.
func (k Keeper) open(ctx context.Context, root string) (v *view, end func(), err error) {
	if _, err := os.Stat(root); err != nil {
		return nil, nil, fmt.Errorf("%s is gone; if it was a worktree, git worktree add %s makes it again", root, root)
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	tmp, err := os.MkdirTemp(k.Dir, "work-")
	if err != nil {
		return nil, nil, err
	}
	v = &view{ctx: ctx, repo: git.Sealed(ctx, root).With(options...), root: root, tmp: tmp}
	v.own = []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	return v, func() { _ = os.RemoveAll(tmp) }, nil
}

// openRaw makes a git directory in tmp that shares the objects of the repository, but not
// its configuration. Its attributes turn all conversions off. So git reads and writes the
// bytes of files as they are.
func (v *view) openRaw() error {
	out, err := v.git("rev-parse", "--show-object-format", "--git-path", "objects")
	if err != nil {
		return err
	}
	format, objects, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(v.root, objects)
	}
	dir := filepath.Join(v.tmp, "git")
	if _, err := v.git("init", "-q", "--bare", "--template=", "--object-format="+format, dir); err != nil {
		return err
	}
	v.raw = append(v.own, "GIT_DIR="+dir, "GIT_WORK_TREE="+v.root, "GIT_OBJECT_DIRECTORY="+objects)
	const attributes = "* -text -ident !filter !working-tree-encoding\n"
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, "info"), 0o700),
		os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte(attributes), 0o600),
	)
}

func (v *view) git(args ...string) ([]byte, error) { return v.repo.Run(v.ctx, args...) }

// gitWith runs git with an input and a changed environment.
func (v *view) gitWith(env []string, in string, args ...string) ([]byte, error) {
	return v.repo.Call(v.ctx, git.Call{In: []byte(in), Env: env}, args...)
}

// Take makes a picture of one repository within a scope, and keeps its objects under id. The
// picture leaves out files above the bounds, and names them.
func (k Keeper) Take(ctx context.Context, scope undo.Scope, id undo.ID) (undo.Picture, error) {
	p := undo.Picture{Scope: scope}
	v, end, err := k.open(ctx, scope.Root)
	if err != nil {
		return p, err
	}
	defer end()
	err = errors.Join(v.addRefs(&p), v.addStashes(&p))
	if err == nil && !scope.Bare && (scope.Tree || len(scope.Paths) > 0) {
		t := taking{view: v, picture: &p, bytes: k.Bytes, files: k.Files, seen: map[string]bool{}}
		p.Tree, err = t.tree()
	}
	if err == nil {
		err = v.keepObjects(p, id)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}

// keepObjects makes the refs that keep a picture's objects.
func (v *view) keepObjects(p undo.Picture, id undo.ID) error {
	var in strings.Builder
	for _, oid := range p.Objects() {
		fmt.Fprintf(&in, "update %s%s/%s %s\n", refs, id, oid, oid)
	}
	_, err := v.gitWith(nil, in.String(), "update-ref", "--stdin")
	return err
}

// Forget lets git delete the objects of a snapshot. It returns nil if the repository does
// not exist any more.
func (k Keeper) Forget(ctx context.Context, root string, id undo.ID) error {
	r := git.Sealed(ctx, root)
	if _, err := r.Line(ctx, "rev-parse", "--git-dir"); err != nil {
		return ctx.Err()
	}
	out, err := r.Run(ctx, "for-each-ref", "--format=delete %(refname)", refs+string(id)+"/")
	if err != nil {
		return err
	}
	_, err = r.Call(ctx, git.Call{In: out}, "update-ref", "--stdin")
	return err
}
