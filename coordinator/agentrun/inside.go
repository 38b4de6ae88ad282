package agentrun

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// pathOf returns the file of a call, "" if it names none.
func pathOf(c host.Call) string {
	v, err := hostjson.Parse(string(c.Input), hostjson.MaxDepth)
	if err != nil {
		return ""
	}
	return v.Get(claude.FieldFile).Str()
}

// plainFile reports whether a file is in dir, after all links, and neither it nor a directory
// on the way to it is hidden. Hidden ones hold settings, of which a person decides.
func plainFile(dir, path string) bool {
	if path == "" || slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "..") {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	real, err := realPath(path)
	if err != nil {
		return false
	}
	rest, err := filepath.Rel(root, real)
	if err != nil || rest == "." {
		return false
	}
	for part := range strings.SplitSeq(rest, string(filepath.Separator)) {
		if strings.HasPrefix(part, ".") { // also ..
			return false
		}
	}
	return true
}

// realPath returns a path without links. What does not exist yet stays as it is. A link to
// what does not exist is an error.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, isLink := os.Lstat(path); isLink == nil {
		return "", err
	}
	parent, base := filepath.Split(filepath.Clean(path))
	if parent == "" || filepath.Clean(parent) == filepath.Clean(path) {
		return "", err
	}
	real, err = realPath(filepath.Clean(parent))
	return filepath.Join(real, base), err
}
