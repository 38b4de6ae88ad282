package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The bounds of a digest. A file beyond them contributes no content, so that the
// same tree has the same digest however busy the machine is.
const (
	smallFile   = 64 << 10 // bytes of a file that is read
	maxContents = 2000     // files that are read
	maxRead     = 32 << 20 // bytes that are read
	maxHeap     = 500      // entries of an ignored directory; a larger one belongs to a tool
	maxWalked   = 10_000   // files that are read outside a repository
)

// Tree returns a digest of the work tree of the repository around dir. The digest
// covers HEAD, staged and unstaged changes, untracked files, and the ignored files
// that tools did not make. Outside a repository it covers the files below dir. Tree
// returns "" after an error, or if ctx ends first.
//
// The worktrees that Afar keeps below dir, and other repositories there, are not
// part of the tree.
func Tree(ctx context.Context, dir string) string {
	t := tree{ctx: ctx, root: dir, sum: sha256.New(), files: maxContents, bytes: maxRead}
	var err error
	if inRepository(dir) {
		err = t.repository()
	} else {
		err = t.outside()
	}
	if ctx.Err() != nil || err != nil {
		return ""
	}
	return hex.EncodeToString(t.sum.Sum(nil))
}

// inRepository reports whether dir or a directory above it holds a .git.
func inRepository(dir string) bool {
	for {
		if IsRepository(dir) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// IsRepository reports whether path holds a .git.
func IsRepository(path string) bool {
	_, err := os.Lstat(filepath.Join(path, ".git"))
	return err == nil
}

// InGitDir reports whether a relative path lies in a .git.
func InGitDir(rel string) bool {
	isDotGit := func(name string) bool { return strings.EqualFold(name, ".git") }
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isDotGit)
}

// rebuildableDirs are directories whose files a tool can make again. One of them
// would be enough to fill a snapshot.
var rebuildableDirs = []string{
	"node_modules", "bower_components", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache",
	".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache",
}

// Rebuildable returns the part of a path up to the first directory that a tool can
// make again, "" if there is none.
func Rebuildable(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	i := slices.IndexFunc(parts, func(name string) bool { return slices.Contains(rebuildableDirs, name) })
	return strings.Join(parts[:i+1], "/")
}

// A tree is the state of one digest in the making.
type tree struct {
	ctx   context.Context
	root  string
	sum   hash.Hash
	files int   // how many more files may be read
	bytes int64 // how many more bytes may be read
}

// repository adds the repository around the root to the digest.
func (t *tree) repository() error {
	r := Sealed(t.ctx, t.root)
	top, err := r.Run(t.ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	t.root = strings.TrimSuffix(string(top), "\n")
	status, err := r.Run(
		t.ctx, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignored=matching",
		"--no-renames", "--ignore-submodules=dirty",
	)
	if err != nil {
		return err
	}
	// A repository without a commit has no diff.
	diff, _ := r.Run(t.ctx, "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "HEAD")
	t.sum.Write(status)
	t.sum.Write(diff)
	for _, entry := range Records(status) {
		kind, path, _ := strings.Cut(entry, " ")
		switch kind {
		case "?":
			t.file(path, true)
		case "!":
			t.ignored(path)
		}
	}
	return nil
}

// ignored adds a file or a directory that git ignores, unless a tool made the files of
// the directory. The path of a directory ends with a slash.
func (t *tree) ignored(path string) {
	dir, isDir := strings.CutSuffix(path, "/")
	if !isDir {
		t.file(path, false)
		return
	}
	if dir == folder || Rebuildable(dir) != "" || IsRepository(filepath.Join(t.root, dir)) {
		return
	}
	var small []string
	seen := 0
	err := t.walk(dir, func(name string, d fs.DirEntry) error {
		if seen++; seen > maxHeap || d.IsDir() && Rebuildable(name) != "" {
			return errHeap
		}
		if !d.IsDir() {
			small = append(small, name)
		}
		return nil
	})
	if err != nil {
		return
	}
	for _, name := range small {
		t.file(name, false)
	}
}

// errHeap ends a walk through a directory with too many files.
var errHeap = errors.New("too many files")

// outside adds the files below a directory outside any repository, the nearest
// first. It skips hidden directories, and in a home directory hidden files too:
// programs keep their own data there.
func (t *tree) outside() error {
	home, _ := os.UserHomeDir()
	isHome := same(t.root, home)
	seen := 0
	err := t.walk(".", func(name string, d fs.DirEntry) error {
		isHidden := strings.HasPrefix(d.Name(), ".")
		switch {
		case d.IsDir() && (isHidden || Rebuildable(name) != ""):
			return fs.SkipDir
		case d.IsDir(), isHidden && isHome:
			return nil
		}
		if seen++; seen > maxWalked {
			return errHeap
		}
		t.file(name, true)
		return nil
	})
	if errors.Is(err, errHeap) {
		return nil
	}
	return err
}

// walk visits the entries below a directory, level by level, each directory in the
// order of its names. It does not enter other repositories, and skips directories
// that it cannot read.
func (t *tree) walk(dir string, visit func(name string, d fs.DirEntry) error) error {
	if _, err := os.ReadDir(filepath.Join(t.root, dir)); err != nil {
		return err
	}
	for next := []string{dir}; len(next) > 0; next = next[1:] {
		entries, _ := os.ReadDir(filepath.Join(t.root, next[0]))
		for _, d := range entries {
			if t.ctx.Err() != nil {
				return t.ctx.Err()
			}
			name := filepath.Join(next[0], d.Name())
			err := visit(name, d)
			if errors.Is(err, fs.SkipDir) {
				continue
			}
			if err != nil {
				return err
			}
			if d.IsDir() && !IsRepository(filepath.Join(t.root, name)) {
				next = append(next, name)
			}
		}
	}
	return nil
}

// file adds one file: its content if the file is small and the bounds allow it. Of
// any other file it adds size and time if large is true.
func (t *tree) file(name string, large bool) {
	path := filepath.Join(t.root, name)
	info, err := os.Lstat(path)
	if err != nil || t.ctx.Err() != nil {
		return
	}
	fmt.Fprintf(t.sum, "\x00%s\x00%s\x00", name, info.Mode())
	fits := t.files > 0 && info.Size() <= min(smallFile, t.bytes)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(path)
		fmt.Fprintf(t.sum, "%s", to)
	case info.Mode().IsRegular() && fits:
		t.files--
		t.bytes -= info.Size()
		text, _ := os.ReadFile(path)
		fmt.Fprintf(t.sum, "%d\x00%s", len(text), text)
	case large:
		fmt.Fprintf(t.sum, "%d\x00%d", info.Size(), info.ModTime().UnixNano())
	}
}
