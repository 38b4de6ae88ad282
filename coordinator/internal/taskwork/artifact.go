package taskwork

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// artifacts is the folder of what a task makes and is given.
const artifacts = "artifacts"

// mostFiles bounds the files that are listed.
const mostFiles = 200

// Files lists what the task has made and was given, newest first, and the texts that were
// kept beside state.md. more is how many further ones there are.
func (f Folders) Files(slug task.Slug) (files []task.File, more int, err error) {
	root, err := f.open(slug)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	for _, in := range []string{".", artifacts} {
		if info, err := root.Lstat(in); err != nil || !info.IsDir() {
			continue // there is no such folder, or a link in its place
		}
		some, err := filesIn(root.FS(), in)
		if err != nil {
			return nil, 0, err
		}
		files = append(files, some...)
	}
	newest := func(a, b task.File) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Path, b.Path)) }
	slices.SortStableFunc(files, newest)
	most := min(len(files), mostFiles)
	return files[:most], len(files) - most, nil
}

// open opens the folder of a task, which no link leaves.
func (f Folders) open(slug task.Slug) (*os.Root, error) {
	if err := f.checkDir(slug); err != nil {
		return nil, err
	}
	return os.OpenRoot(f.Dir(slug))
}

// filesIn lists the files of a folder. At the top of a task, these are only the texts that
// were kept beside state.md. Links are not followed.
func filesIn(top fs.FS, in string) (files []task.File, err error) {
	err = fs.WalkDir(top, in, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it is gone
		case err != nil:
			return err
		case e.IsDir() && in == "." && name != in:
			return fs.SkipDir
		case !e.Type().IsRegular(), in == "." && !isYours(name):
			return nil
		}
		info, err := e.Info()
		if err == nil {
			files = append(files, task.File{Path: name, Size: info.Size(), At: info.ModTime()})
		}
		return nil
	})
	return files, err
}

// File returns what a file holds that Files lists. A link, and a file of another folder, is an
// error.
func (f Folders) File(slug task.Slug, name string) ([]byte, error) {
	if !fs.ValidPath(name) || !strings.HasPrefix(name, artifacts+"/") && !isYours(name) {
		return nil, fmt.Errorf("%.80q is no file of the task: %w", name, core.ErrNotFound)
	}
	root, err := f.open(slug)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := statPlain(root, name)
	switch {
	case err != nil:
		return nil, err
	case info.Size() > task.MaxArtifact:
		return nil, fmt.Errorf("%s has %d bytes; want at most %d: open it in %s",
			name, info.Size(), task.MaxArtifact, f.Dir(slug))
	}
	return root.ReadFile(name)
}

// statPlain describes a file to which no link leads.
func statPlain(root *os.Root, name string) (info fs.FileInfo, err error) {
	for at := 0; at <= len(name); at++ {
		if at < len(name) && name[at] != '/' {
			continue
		}
		info, err = root.Lstat(name[:at])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%.80q: %w", name, core.ErrNotFound)
		}
		if err != nil || at < len(name) && !info.IsDir() || at == len(name) && !info.Mode().IsRegular() {
			return nil, cmp.Or(err, fmt.Errorf("%.80q is no regular file, or a link leads to it", name))
		}
	}
	return info, nil
}

// isYours reports whether a file was kept beside state.md.
func isYours(name string) bool {
	match, _ := path.Match("state-yours*.md", name) // the pattern is right
	return match
}

// Keep saves a file that a person gave to a task, and returns its path below the folder of the
// task. It overwrites nothing: another name is found. The same file under the same name is
// saved once.
func (f Folders) Keep(slug task.Slug, name string, data []byte) (saved string, err error) {
	if len(data) > task.MaxArtifact {
		return "", fmt.Errorf("the file has %d bytes; want at most %d", len(data), task.MaxArtifact)
	}
	f.writing.Lock()
	defer f.writing.Unlock()
	return f.keep(slug, artifacts, task.FileName(name), data)
}

// mostNames bounds the names that are tried for a file.
const mostNames = 1000

// keep saves a file in a folder of the task. No link leads it out of the task.
func (f Folders) keep(slug task.Slug, in, name string, data []byte) (saved string, err error) {
	root, err := f.open(slug)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(in, 0o700); err != nil {
		return "", err
	}
	for n := range mostNames {
		saved = path.Join(in, task.Numbered(name, n+1))
		err := create(root, saved, data)
		if !errors.Is(err, fs.ErrExist) || holds(root, saved, data) {
			return saved, ignoreExist(err)
		}
	}
	return "", fmt.Errorf("%d files have names like %s; want another name", mostNames, name)
}

func ignoreExist(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// holds reports whether a file is there with this content.
func holds(root *os.Root, name string, data []byte) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	have, err := root.ReadFile(name)
	return err == nil && bytes.Equal(have, data)
}

// create makes a file, whole or not at all. A file with the name is an error.
func create(root *os.Root, name string, data []byte) error {
	part := path.Join(path.Dir(name), ".new-"+markdown.Digest(name))
	defer root.Remove(part)
	if err := root.WriteFile(part, data, 0o600); err != nil {
		return err
	}
	return root.Link(part, name)
}
