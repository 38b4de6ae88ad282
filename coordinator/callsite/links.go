package callsite

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symbolic links that are followed for one path.
const maxLinks = 40

// A resolver follows symbolic links. It looks at each directory once, because the paths of a
// call lie in few of them.
type resolver struct {
	known map[string]string // by directory
	left  int               // links that may be followed
}

func newResolver() *resolver { return &resolver{known: map[string]string{}} }

// resolve follows the symbolic links of a path. It also follows a link to a file that does
// not exist yet, because a write through the link would create it.
func (r *resolver) resolve(path string) string {
	r.left = maxLinks
	return r.follow(filepath.Clean(path))
}

// follow resolves a clean path.
func (r *resolver) follow(path string) string {
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	parent, ok := r.known[dir]
	if !ok {
		parent = r.follow(dir)
		r.known[dir] = parent
	}
	path = filepath.Join(parent, filepath.Base(path))
	to, err := os.Readlink(path)
	if err != nil || r.left == 0 {
		return path
	}
	r.left--
	if strings.Contains(to, "..") { // the parent of what a link leads to
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(parent, to)
	}
	return r.follow(filepath.Clean(to))
}
