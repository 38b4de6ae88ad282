package callsite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
)

const (
	mostUnsaved = 4096 // files that are told of one repository
	mostTrees   = 4    // repositories that are asked in one call
)

// worktrees remembers the unsaved files of the repositories that a call touches.
type worktrees struct {
	git   repository
	mu    sync.Mutex
	known map[string][]guard.Unsaved // by the top directory
}

// unsaved returns the files of the repository around a path that no commit has as they are.
// It returns nil if there is no repository, or if git does not answer in time.
func (w *worktrees) unsaved(path string) []guard.Unsaved {
	top := topOf(path)
	if top == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	files, ok := w.known[top]
	if !ok && len(w.known) < mostTrees {
		if w.known == nil {
			w.known = map[string][]guard.Unsaved{}
		}
		files = w.git.unsaved(top)
		w.known[top] = files
	}
	return files
}

// topOf returns the directory at or above a path that holds a repository, "" if
// there is none.
func topOf(path string) string {
	for dir := filepath.Clean(path); filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// unsaved returns the unsaved files of a repository, nil if git does not answer in time.
func (r repository) unsaved(top string) []guard.Unsaved {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	out, err := r.status(ctx, top, "-z", "--ignore-submodules=all")
	if err != nil {
		return nil
	}
	return parseUnsaved(top, out)
}

// parseUnsaved returns the files in the output of git status whose content in the work tree is
// in no commit.
func parseUnsaved(top, status string) []guard.Unsaved {
	files := []guard.Unsaved{} // git has answered
	records := strings.Split(status, "\x00")
	for i := 0; i < len(records) && len(files) < mostUnsaved; i++ {
		r := records[i]
		if len(r) < 4 {
			continue
		}
		f := guard.Unsaved{Untracked: r[0] == '?'}
		switch r[0] {
		case '?':
			f.Path = r[2:]
		case '1':
			f.Path, f.Staged = changedName(r, 8)
		case '2': // its old name is a record of its own
			f.Path, f.Staged = changedName(r, 9)
			i++
		case 'u':
			f.Path, _ = changedName(r, 10)
		}
		if f.Path != "" {
			f.Path = top + "/" + f.Path
			files = append(files, f)
		}
	}
	return files
}

// changedName returns the name that comes after n fields of a record, "" if nothing is left of
// the file in the work tree or if it is only renamed. staged reports whether the index has it as
// it is.
func changedName(record string, n int) (name string, staged bool) {
	fields := strings.SplitN(record, " ", n+1)
	if len(fields) <= n || record[3] == 'D' {
		return "", false
	}
	staged = record[3] == '.'
	if staged && (record[2] == 'D' || fields[n-1] == "R100") {
		return "", false
	}
	return fields[n], staged
}

// exists is guard.Context.Exists.
func exists(path string) bool {
	info, err := os.Lstat(strings.TrimSuffix(path, "/"))
	if err != nil {
		return !missing(err)
	}
	return strings.HasSuffix(path, "/") || info.Mode().IsRegular()
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Older returns a function that reports whether a file was last changed before the
// session began. For a path that ends with a slash it reports whether anything there
// was. A file that was changed later counts as the session's. Without a transcript
// every file is older.
func Older(transcript string) func(path string) bool {
	since := sync.OnceValue(func() time.Time { return born(transcript) })
	return func(path string) bool {
		root, tree := strings.CutSuffix(path, "/")
		info, err := os.Lstat(root)
		switch {
		case err != nil:
			return !missing(err)
		case info.Mode().IsRegular():
			return changedBefore(info, since())
		}
		return tree && info.IsDir() && holdsOlder(root, since())
	}
}

func changedBefore(info fs.FileInfo, since time.Time) bool {
	return since.IsZero() || info.ModTime().Before(since)
}

// holdsOlder reports whether a tree has a file that was last changed before since,
// or is too large to look at.
func holdsOlder(root string, since time.Time) bool {
	return !everyFile(root, func(_ string, d fs.DirEntry) bool {
		if !d.Type().IsRegular() {
			return true
		}
		info, err := d.Info()
		return err == nil && !changedBefore(info, since)
	})
}
