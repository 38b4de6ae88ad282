package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// jujutsu keeps each state of the working copy and of the refs in its
// operation log: what it takes away, `jj undo` brings back. What counts is what
// leaves that log, and what others see.
func jujutsu(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "R r m b d A B c t f repository revision revisions message bookmark remote to from into destination onto config config-file expire at-op change named color")
	verb, sub := o.At(0), o.At(1)
	switch verb {
	case "git":
		jujutsuGit(sh, sub, o)
	case "bookmark", "branch", "b":
		if lex.OneOf(sub, "delete d forget f") {
			for _, name := range o.Pos[2:] {
				sh.Effect(effect.RewriteRefs, effect.BranchDelete, name)
			}
		}
	case "op", "operation":
		if sub == "abandon" {
			sh.Effect(effect.RewriteRefs, effect.Reflog, "")
		}
	case "util":
		if v, _ := o.Get("expire"); sub == "gc" && v == "now" {
			sh.Effect(effect.RewriteRefs, effect.Prune, "")
		}
		if sub == "exec" {
			sh.Exec(lex.After(c.Args, "--", 1), c.In)
		}
	}
}

func jujutsuGit(sh *shell.Shell, verb string, o shell.Options) {
	switch verb {
	case "push":
		if o.Exact("deleted") && !o.Exact("dry-run") {
			sh.Effect(effect.PushDelete, effect.Branch, "")
		}
	case "remote":
		if lex.OneOf(o.At(2), "remove rm") {
			sh.Effect(effect.RewriteRefs, effect.RemoteRemove, strings.Join(o.Pos[3:], " "))
		}
	}
}
