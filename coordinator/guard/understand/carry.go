package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
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

// bringsFiles remembers what a client of a forge or a store copies from there:
// "gh repo clone", "aws s3 cp s3://…".
func bringsFiles(sh *shell.Shell, c shell.Command) {
	for i := 0; i < min(len(c.Args)-1, 6); i++ {
		switch c.Args[i] {
		case "clone":
			o := shell.ParseOptions(c.Args[i+1:], "")
			if lex.OneOf(c.Name, "gh glab hub") && len(o.Pos) > 0 {
				o.Pos[0] = "https://" + o.Pos[0]
				rememberClone(sh, o)
			}
			return
		case "cp", "copy", "copyto", "download", "sync":
			o := shell.ParseOptions(c.Args[i+1:], "")
			if strings.Contains(o.At(0), "://") && len(o.Pos) > 1 {
				sh.BringsFrom(strings.Replace(o.At(0), "://", ":", 1), o.At(1))
				overwritesWith(sh, o)
			}
			return
		}
	}
}

// overwritesWith reports the file of this machine that a copy from a store overwrites.
func overwritesWith(sh *shell.Shell, o shell.Options) {
	switch from, to := o.At(0), o.At(1); {
	case strings.Contains(to, ":"), to == "-", o.Given("n no-clobber no-overwrite ignore-existing r R recursive dryrun"):
	case fspath.IsExact(from):
		bringsTo(sh, from, to)
	}
}
