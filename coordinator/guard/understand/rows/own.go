package rows

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// IsOwnName reports whether a name is that of one of Afar's programs.
func IsOwnName(base string) bool {
	return lex.OneOf(base, "afar agent-run") || strings.HasPrefix(base, "hook-")
}

// IsOwnProgram reports whether a path is one of Afar's binaries, or a link to one in the home.
func IsOwnProgram(sh *shell.Shell, p string) bool {
	if sh.IsOwn(p) {
		return IsOwnName(fspath.Base(p))
	}
	return protected.LinkedProgram(p)
}

// IsGuarded reports whether a path is one of Afar's own files or of the host's settings.
func IsGuarded(sh *shell.Shell, path string) bool {
	return sh.IsOwn(path) || protected.HostPath(path, sh.Place.Home, sh.Eval.Site.Env)
}
