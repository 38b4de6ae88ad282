package land

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/git"
)

// markName is the file name of the mark of a landing, in the repository's common
// directory.
const markName = "afar.landing"

// settle undoes a merge that was interrupted while it wrote files in the checkout of
// a base.
func settle(ctx context.Context, r git.Repo) error {
	common, err := r.CommonDir(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(common, markName)
	m, err := git.ReadMark(name)
	if err != nil || m == nil {
		return err
	}
	if _, err := os.Stat(m.Checkout); errors.Is(err, fs.ErrNotExist) {
		return os.Remove(name)
	}
	at := r.In(m.Checkout)
	own, err := at.GitDir(ctx)
	if err != nil {
		return err
	}
	err = git.DropLocks(ctx, m,
		filepath.Join(own, "HEAD.lock"), filepath.Join(own, "ORIG_HEAD.lock"),
		filepath.Join(common, m.Ref+".lock"), filepath.Join(common, "packed-refs.lock"))
	if err != nil {
		return err
	}
	branch, _ := at.Line(ctx, "symbolic-ref", "-q", "HEAD")
	tip, err := at.Resolve(ctx, "HEAD")
	if branch == m.Ref && tip == m.From {
		err = takeBack(ctx, at, *m)
	}
	if err != nil {
		return fmt.Errorf("%w: a landing was cut off in %s: %w", git.ErrInTheWay, m.Checkout, err)
	}
	return os.Remove(name)
}

// takeBack restores the files of m.From in a checkout where git had begun to write
// those of m.To. If one of the files is as in neither commit, somebody worked on it:
// takeBack then changes nothing and returns an error.
func takeBack(ctx context.Context, r git.Repo, m git.Mark) error {
	out, err := r.Run(
		ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none",
		m.From, m.To,
	)
	if err != nil {
		return err
	}
	touched, err := parseRaw(out)
	if err != nil {
		return err
	}
	changes, err := r.Changes(ctx)
	if err != nil {
		return err
	}
	var restore, remove, theirs []string
	for _, c := range changes {
		v, ok := touched[c.Path]
		if !ok || c.Kind != '1' || c.Sub {
			continue
		}
		delete(touched, c.Path)
		restore = append(restore, c.Path)
		if !isWrittenByGit(ctx, r, c.Path, v, c.Staged) {
			theirs = append(theirs, c.Path)
		}
	}
	for path, v := range touched {
		if v.from != "" || !r.IsFile(path) {
			continue
		}
		remove = append(remove, path)
		if !isWrittenByGit(ctx, r, path, v, "") {
			theirs = append(theirs, path)
		}
	}
	if len(theirs) > 0 {
		slices.Sort(theirs)
		return fmt.Errorf("these files were changed since: %s", git.NameSome(theirs))
	}
	return putBack(ctx, r, m.From, restore, remove)
}

// putBack restores files from a commit. It removes other files, and the directories
// that become empty.
func putBack(ctx context.Context, r git.Repo, from string, restore, remove []string) error {
	if len(restore) > 0 {
		in := []byte(strings.Join(restore, "\x00") + "\x00")
		_, err := r.Call(
			ctx, git.Call{In: in}, "restore", "-q", "--source="+from, "--staged", "--worktree",
			"--pathspec-from-file=-", "--pathspec-file-nul",
		)
		if err != nil {
			return err
		}
	}
	for _, path := range remove {
		if err := os.Remove(filepath.Join(r.Dir, path)); err != nil {
			return err
		}
		dir := filepath.Dir(path)
		for dir != "." && os.Remove(filepath.Join(r.Dir, dir)) == nil {
			dir = filepath.Dir(dir)
		}
	}
	return nil
}

// isWrittenByGit reports whether one of two commits has the content of a file, or
// whether the content is the beginning of the second one's, because git died while
// it wrote the file. staged is the file's object in the index, "" if there is none.
func isWrittenByGit(ctx context.Context, r git.Repo, path string, v versions, staged string) bool {
	if !v.has(staged) {
		return false
	}
	name := filepath.Join(r.Dir, path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return false
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(name)
		blob, err := r.Run(ctx, "cat-file", "blob", v.to)
		return err == nil && string(blob) == to
	case !info.Mode().IsRegular():
		return false
	}
	oid, err := r.Line(ctx, "hash-object", "--", path)
	if err == nil && v.has(oid) {
		return true
	}
	have, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	blob, err := r.Run(ctx, "cat-file", "--filters", "--path="+path, v.to)
	return err == nil && bytes.HasPrefix(blob, have)
}

// versions are the objects of a path in two commits, "" if there is none.
type versions struct{ from, to string }

// has reports whether oid is one of the versions. No object counts as one.
func (v versions) has(oid string) bool {
	return slices.Contains([]string{"", v.from, v.to}, objectOf(oid))
}

// rawEntry matches an entry of git diff-tree --raw -z and its path:
// ":100644 100644 <old> <new> M", path.
var rawEntry = regexp.MustCompile(`(?s)^:\S+ \S+ (\S+) (\S+) \S+\x00(.+)$`)

// parseRaw returns the versions of each path in the output of git diff-tree --raw -z.
func parseRaw(out []byte) (map[string]versions, error) {
	list := map[string]versions{}
	for entry := range slices.Chunk(git.Records(out), 2) {
		m := rawEntry.FindStringSubmatch(strings.Join(entry, "\x00"))
		if m == nil {
			return nil, fmt.Errorf("git diff-tree printed %q", entry)
		}
		list[m[3]] = versions{objectOf(m[1]), objectOf(m[2])}
	}
	return list, nil
}

// objectOf returns oid, but "" if oid is all zeros, git's name for no object.
func objectOf(oid string) string {
	if strings.Trim(oid, "0") == "" {
		return ""
	}
	return oid
}
