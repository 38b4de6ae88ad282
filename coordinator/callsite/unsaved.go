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
)

const (
	mostUnsaved = 4096 // files that are told of one repository
	mostTrees   = 4    // repositories that are asked in one call
)

// worktrees remembers the unsaved files of the repositories that a call touches.
type worktrees struct {
	git   repository
	mu    sync.Mutex
	known map[string][]string // by the top directory
}

// unsaved returns the files of the repository around a path that git has no copy of.
// It returns nil if there is no repository, or if git does not answer in time.
func (w *worktrees) unsaved(path string) []string {
	top := topOf(path)
	if top == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	files, ok := w.known[top]
	if !ok && len(w.known) < mostTrees {
		if w.known == nil {
			w.known = map[string][]string{}
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
func (r repository) unsaved(top string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	out, err := r.run(ctx, top, "status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=all")
	if err != nil {
		return nil
	}
	return parseUnsaved(top, out)
}

// parseUnsaved returns the files in the output of git status whose content in the
// work tree is in no commit and not in the index.
func parseUnsaved(top, status string) (files []string) {
	records := strings.Split(status, "\x00")
	for i := 0; i < len(records) && len(files) < mostUnsaved; i++ {
		r := records[i]
		if len(r) < 4 {
			continue
		}
		name := ""
		switch r[0] {
		case '?':
			name = r[2:]
		case '1':
			name = changedName(r, 8)
		case '2': // its old name is a record of its own
			name = changedName(r, 9)
			i++
		case 'u':
			name = changedName(r, 10)
		}
		if name != "" {
			files = append(files, top+"/"+name)
		}
	}
	return files
}

// changedName returns the name that comes after n fields of a record, if the file
// in the work tree differs from the index.
func changedName(record string, n int) string {
	if strings.IndexByte(".D", record[3]) >= 0 {
		return ""
	}
	fields := strings.SplitN(record, " ", n+1)
	if len(fields) <= n {
		return ""
	}
	return fields[n]
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
