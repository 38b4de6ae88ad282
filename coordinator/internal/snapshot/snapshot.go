// Package snapshot keeps what a step may destroy in a git repository, and restores
// it: files, refs and stashes. Taking a snapshot touches neither the
// person's index nor the work tree. A snapshot consists of objects of the
// repository. Special refs keep these objects; branches, tags and an ordinary push do not
// show them.
package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Keeper takes snapshots and restores them.
type Keeper struct {
	Dir   string // for its own files while it works, closed to others
	Bytes int64  // how much is kept of one repository
	Files int
}

// New returns a Keeper with the usual bounds.
func New(dir string) Keeper { return Keeper{Dir: dir, Bytes: 200 << 20, Files: 20_000} }

// Clear removes the files of a process that died while it worked.
func (k Keeper) Clear() error {
	if err := os.RemoveAll(k.Dir); err != nil {
		return fmt.Errorf("clear snapshots: %w", err)
	}
	return nil
}

// refs is where the objects of snapshots are kept: <refs>/<id>/<part>/<name>.
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
	tmp  string // a directory of our own
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
	return v, func() { _ = os.RemoveAll(tmp) }, nil
}

func (v *view) git(args ...string) ([]byte, error) { return v.repo.Run(v.ctx, args...) }

func (v *view) gitWith(in []byte, args ...string) ([]byte, error) {
	return v.repo.Call(v.ctx, git.Call{In: in}, args...)
}

// gitOwnIndex runs git with a temporary index.
func (v *view) gitOwnIndex(in []byte, args ...string) ([]byte, error) {
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(v.tmp, "index")}
	return v.repo.Call(v.ctx, git.Call{In: in, Env: env}, args...)
}

// Take makes a picture of one repository within a scope, and keeps it under id. part
// distinguishes the pictures of one snapshot. The picture leaves out files above the bounds,
// and names them.
func (k Keeper) Take(ctx context.Context, scope undo.Scope, id undo.ID, part string) (undo.Picture, error) {
	v, end, err := k.open(ctx, scope.Root)
	if err != nil {
		return undo.Picture{}, err
	}
	defer end()
	p, err := k.picture(v, scope)
	if err == nil {
		err = v.keepObjects(p, refs+string(id)+"/"+part)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return p, err
}

// keepObjects makes the refs that keep a picture's objects.
func (v *view) keepObjects(p undo.Picture, prefix string) error {
	var in strings.Builder
	if p.Tree != "" {
		fmt.Fprintf(&in, "update %s/tree %s\n", prefix, p.Tree)
	}
	for i, oid := range p.Commits() {
		fmt.Fprintf(&in, "update %s/%d %s\n", prefix, i, oid)
	}
	_, err := v.gitWith([]byte(in.String()), "update-ref", "--stdin")
	return err
}

// Forget lets git delete the objects of a snapshot. It returns nil if the repository does
// not exist any more.
func (k Keeper) Forget(ctx context.Context, root string, id undo.ID) error {
	if _, err := os.Stat(root); err != nil {
		return nil
	}
	v, end, err := k.open(ctx, root)
	if err != nil {
		return err
	}
	defer end()
	if _, err := v.git("rev-parse", "--git-dir"); err != nil {
		return nil
	}
	out, err := v.git("for-each-ref", "--format=delete %(refname)", refs+string(id)+"/")
	if err != nil {
		return err
	}
	_, err = v.gitWith(out, "update-ref", "--stdin")
	return err
}
