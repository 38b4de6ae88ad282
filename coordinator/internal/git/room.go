package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CheckRoom returns an error if going from one commit to another would overwrite a
// file that git does not track. Ignored files count too; git itself would overwrite
// them.
func (r Repo) CheckRoom(ctx context.Context, from, to string) error {
	deleted, err := r.ChangedPaths(ctx, "D", from, to)
	if err != nil {
		return err
	}
	added, err := r.ChangedPaths(ctx, "A", from, to)
	if err != nil {
		return err
	}
	setting, _ := r.Line(ctx, "config", "--type=bool", "--get", "core.ignoreCase")
	ignoresCase := setting == "true"
	seen := map[string]bool{"": true} // obstacle returns "" for no obstacle
	for _, name := range deleted {
		seen[foldCase(name, ignoresCase)] = true
	}
	var taken []string
	for _, name := range added {
		at := r.obstacle(name)
		if key := foldCase(at, ignoresCase); !seen[key] {
			seen[key] = true
			taken = append(taken, at)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%w: %s would write over files that are not tracked: %s", ErrInTheWay, r.Dir, NameSome(taken))
	}
	if ignoresCase {
		return r.checkCase(ctx, added, to)
	}
	return nil
}

// checkCase returns an error if the name of an added file differs only by case from
// another one in the commit. It is for file systems that ignore case.
func (r Repo) checkCase(ctx context.Context, added []string, commit string) error {
	all, err := r.trackedPaths(ctx, commit)
	count := map[string]int{}
	for name := range all {
		count[foldCase(name, true)]++
	}
	for _, name := range added {
		if count[foldCase(name, true)] > 1 {
			return fmt.Errorf("%w: this file system takes %q for another file of the branch", ErrInTheWay, name)
		}
	}
	return err
}

// foldCase returns the name in lower case if ignoresCase is true.
func foldCase(name string, ignoresCase bool) string {
	if ignoresCase {
		return strings.ToLower(name)
	}
	return name
}

// obstacle returns the file at a path, or the file where the path needs a directory;
// "" if there is none. A directory at the path does not count: git handles it.
func (r Repo) obstacle(path string) string {
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.Dir, path[:i]))
		switch {
		case err != nil:
			return ""
		case !info.IsDir():
			return path[:i]
		}
	}
	return ""
}

// IsFile reports whether a file or a link exists at a path.
func (r Repo) IsFile(path string) bool { return r.obstacle(path) == path }

// ChangedPaths lists the paths that differ between two commits: those that were
// added (filter "A"), deleted ("D"), or all ("").
func (r Repo) ChangedPaths(ctx context.Context, filter, from, to string) ([]string, error) {
	out, err := r.Run(
		ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none",
		"--diff-filter="+filter, from, to,
	)
	return Records(out), err
}

// trackedPaths returns the paths of a commit.
func (r Repo) trackedPaths(ctx context.Context, commit string) (map[string]bool, error) {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
	paths := map[string]bool{}
	for _, path := range Records(out) {
		paths[path] = true
	}
	return paths, err
}

// Checkouts returns the directories in which git keeps the state of each checkout of
// the repository. The main checkout comes first.
func (r Repo) Checkouts(ctx context.Context) ([]string, error) {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return nil, err
	}
	linked, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err := unlessMissing(err); err != nil {
		return nil, err
	}
	dirs := []string{common}
	for _, d := range linked {
		dirs = append(dirs, filepath.Join(common, "worktrees", d.Name()))
	}
	return dirs, nil
}

// LandedRef returns the name of the ref that keeps the last commit that we landed in
// a base. Without it, that commit would look like the person's unpushed work.
func LandedRef(base string) string { return "refs/afar/landed/" + base }
