package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// rememberClone remembers the directory into which "git clone" copies a remote repository.
func rememberClone(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "b branch depth o origin reference c config j jobs filter u upload-pack "+
		"separate-git-dir template")
	url, dir := o.At(0), o.At(1)
	if !shell.IsRemotePath(url) || len(sh.Eval.Fetched) >= shell.MaxAliases {
		return
	}
	if dir == "" {
		dir = strings.TrimSuffix(fspath.Base(strings.TrimSuffix(url, "/")), ".git")
	}
	sh.Eval.Fetched = append(sh.Eval.Fetched, sh.Path(dir))
}

// keysLeave reports a possible leak if the parts sent to a host contain a key or a
// token. An HTTP client passes no headers, because a token belongs there. Local hosts and
// API hosts are exempt.
func keysLeave(sh *shell.Shell, parts []string, host string) {
	if web.IsLocalHost(host) || web.IsAPIHost(host) {
		return
	}
	for _, p := range parts {
		if strings.ContainsRune(p, partial.HoleKey) {
			sh.Possible(effect.SendOut, effect.Secret, host)
			return
		}
	}
}
