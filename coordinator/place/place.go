// Package place tells the guard where a call happens: which directories are
// Afar's own, what a path really names, and what git says of the work tree. The
// hooks and `afar guard explain` look through it, so that they see the same.
package place

import (
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// Context is what is known about a call in cwd, in a session of project. bin is
// the directory of our binaries. It reads nothing until the guard asks.
func Context(dirs home.Dirs, bin, cwd, project string) guard.Context {
	return guard.Context{
		Cwd: cwd, Project: project, Home: dirs.User,
		Env:     map[string]string{"HOME": dirs.User, "PWD": cwd},
		Temp:    []string{"/tmp", "/var/tmp"},
		Own:     own(dirs, bin),
		Resolve: resolve,
		Git:     repository{path: dirs.Path, home: dirs.User}.facts,
	}
}

// own lists what a session may not touch: Afar's files, and what the host loads
// of the plugin. The rest of a checkout is its developer's.
func own(dirs home.Dirs, bin string) []string {
	root := filepath.Dir(bin)
	return append(dirs.All(), filepath.Dir(dirs.Socket()), bin, filepath.Join(root, "plugin"), filepath.Join(root, ".claude-plugin"))
}

// resolve follows the symbolic links of the part of a path that exists.
func resolve(path string) string {
	for dir, rest := path, ""; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return path
		}
		rest, dir = filepath.Join(filepath.Base(dir), rest), parent
	}
}
