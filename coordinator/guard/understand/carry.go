package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// cloned remembers the tree that "git clone" makes.
func cloned(sh *shell.Shell, args []string) {
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

// keysLeave asks about variables named like secrets in what is sent to a host. A
// header is no such part: there a token belongs.
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
