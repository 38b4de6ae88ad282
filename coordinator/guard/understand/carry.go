package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// rememberClone remembers the directory into which "git clone" copies a remote repository.
func rememberClone(sh *shell.Shell, o shell.Options) {
	url, dir := o.At(0), o.At(1)
	if !shell.IsRemotePath(url) || len(sh.Eval.Fetched) >= shell.MaxAliases {
		return
	}
	if dir == "" {
		dir = strings.TrimSuffix(fspath.Base(strings.TrimSuffix(url, "/")), ".git")
	}
	sh.Eval.Fetched = append(sh.Eval.Fetched, sh.Path(dir))
}
