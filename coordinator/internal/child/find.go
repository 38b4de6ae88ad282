package child

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrAbsent says that a program was not found.
var ErrAbsent = errors.New("not installed")

// Find returns where a program lies that the person installed: the first of that
// name in path, a list as in PATH. What a project brings along is not theirs, so
// directories that are not absolute and those inside repo are passed over, unless
// the person's home is in there, too; "" is no repository. An absolute name is
// looked at where it points to. The error is ErrAbsent, or says what is wrong with
// an absolute name.
func Find(name, path, repo string) (string, error) {
	if filepath.IsAbs(name) {
		return executable(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || brought(dir, repo) {
			continue
		}
		if found, err := executable(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", ErrAbsent
}

func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return "", ErrAbsent
	}
	return found, err
}

// brought reports whether a directory belongs to the repository, under the name
// that it is given or the one that it has.
func brought(dir, repo string) bool {
	if home, err := os.UserHomeDir(); repo == "" || err == nil && within(home, repo) {
		return false
	}
	return within(dir, repo) || within(real(dir), real(repo))
}

func within(path, dir string) bool {
	inside, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(inside)
}

// real returns a path without links, or the path itself if nothing is there.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}
