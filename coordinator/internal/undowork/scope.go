package undowork

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// Scopes returns a scope for each repository of the losses. why names a loss that cannot be
// kept.
func (k Keeper) Scopes(ctx context.Context, losses []undo.Loss) (scopes []undo.Scope, why string) {
	for _, l := range losses {
		dir := l.Dir
		if l.Path != "" {
			dir = existingDir(l.Path)
		}
		root, bare := topOf(ctx, dir)
		if l.Path != "" && git.IsRepository(l.Path) {
			why = l.Path + " is a whole repository, and a snapshot would go with it"
			continue
		}
		if root == "" {
			continue
		}
		i := slices.IndexFunc(scopes, func(s undo.Scope) bool { return s.Root == root })
		if i < 0 {
			i = len(scopes)
			scopes = append(scopes, undo.Scope{Root: root, Bare: bare})
		}
		widen(&scopes[i], l)
	}
	return slices.DeleteFunc(scopes, undo.Scope.Empty), why
}

// widen adds a loss to the scope of its repository.
func widen(s *undo.Scope, l undo.Loss) {
	switch {
	case l.Ref != "":
		s.Refs = addNew(s.Refs, l.Ref)
	case l.Stashes:
		s.Stashes = true
	case s.Bare: // it has no files
	case l.Path != "":
		s.Paths = addNew(s.Paths, pathsOf(s.Root, l.Path)...)
	default:
		s.Tree, s.Ignored = true, s.Ignored || l.Ignored
	}
}

func addNew(list []string, names ...string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// maxMatches bounds how many paths a pattern of a command may match.
const maxMatches = 5000

// pathsOf returns the paths in a repository that a path or a pattern matches, relative to
// root. It leaves out files in a .git.
func pathsOf(root, path string) (out []string) {
	names, _ := filepath.Glob(path) // an invalid pattern matches nothing
	if len(names) == 0 || len(names) > maxMatches {
		names = []string{beforeWildcard(path)}
	}
	for _, name := range names {
		dir, err := filepath.EvalSymlinks(filepath.Dir(name))
		if err != nil {
			continue
		}
		rel, _ := filepath.Rel(root, filepath.Join(dir, filepath.Base(name))) // "" is not local
		if filepath.IsLocal(rel) && !git.InGitDir(rel) {
			out = append(out, rel)
		}
	}
	return out
}

// beforeWildcard returns the part of a pattern before its first wildcard.
func beforeWildcard(path string) string {
	i := strings.IndexAny(path, `*?[\`)
	if i < 0 {
		return path
	}
	return filepath.Dir(path[:i] + "x")
}

// existingDir returns the nearest directory above path that exists.
func existingDir(path string) string {
	dir := beforeWildcard(path)
	if dir == path {
		dir = filepath.Dir(path)
	}
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// topOf returns the top of the work tree around dir, or the directory of a bare repository.
// It returns "" outside a repository.
func topOf(ctx context.Context, dir string) (root string, bare bool) {
	if !filepath.IsAbs(dir) {
		return "", false
	}
	r := git.Sealed(ctx, dir)
	if out, err := r.Line(ctx, "rev-parse", "--show-toplevel"); err == nil {
		return out, false
	}
	out, err := r.Line(ctx, "rev-parse", "--absolute-git-dir")
	return out, err == nil
}
