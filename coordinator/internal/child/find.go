package child

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
)

// ErrAbsent says that a program was not found.
var ErrAbsent = errors.New("not installed")

// Find returns the path of a program that the person installed: the first one with that
// name in path, a list as in PATH. It skips directories that are not absolute. It also
// skips directories inside repo, because a project may contain programs, unless the
// person's home is inside repo too. An empty repo is none. For an absolute name, Find
// checks that file. The error is ErrAbsent, or says what is wrong with an absolute name.
//
// A program that Use knows is the one that was found first, if its folder is in path. Any other
// program is found once for each path: a file of that name that appears later in another folder,
// perhaps because a session wrote it, does not take its place.
func Find(name, path, repo string) (string, error) {
	if filepath.IsAbs(name) {
		return executable(name)
	}
	if at, ok := used.Load(name); ok && slices.Contains(filepath.SplitList(path), filepath.Dir(at.(string))) {
		known.LoadOrStore([2]string{name, path}, at)
	}
	place := [2]string{name, path}
	if at, ok := known.Load(place); ok && !IsOfProject(filepath.Dir(at.(string)), repo) {
		if found, err := executable(at.(string)); err == nil {
			return found, nil
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || IsOfProject(dir, repo) {
			continue
		}
		if found, err := executable(filepath.Join(dir, name)); err == nil {
			known.Store(place, found)
			return found, nil
		}
	}
	return "", ErrAbsent
}

// known are the programs that Find has found, by name and path. used are those of Use, by name.
var known, used sync.Map

// Use has Find take a program from where it was found when Afar was installed or started.
func Use(name, file string) { used.Store(name, file) }

func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return "", ErrAbsent
	}
	return found, err
}

// IsOfProject reports whether a directory or a file is inside the repository, by its name or
// without links.
func IsOfProject(path, repo string) bool {
	if home, _ := os.UserHomeDir(); repo == "" || within(home, repo) {
		return false
	}
	return within(path, repo) || within(real(path), real(repo))
}

func within(path, dir string) bool {
	inside, _ := filepath.Rel(dir, path)
	return filepath.IsLocal(inside) // false after an error
}

// real returns a path without links, or the path itself if nothing is there.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}
