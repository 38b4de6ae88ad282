package guard

import "strings"

// jujutsu keeps each state of the working copy and of the refs in its
// operation log: what it takes away, `jj undo` brings back. What counts is what
// leaves that log, and what others see.
func jujutsu(sh *shell, c command) {
	o := parseOptions(c.args, "R r m b d A B c t f repository revision revisions message bookmark remote to from into destination onto config config-file expire at-op change named color")
	verb, sub := o.at(0), o.at(1)
	switch verb {
	case "git":
		sh.jujutsuGit(sub, o)
	case "bookmark", "branch", "b":
		if oneOf(sub, "delete d forget f") {
			for _, name := range o.pos[2:] {
				sh.effect(RewriteRefs, "branch-delete", name)
			}
		}
	case "op", "operation":
		if sub == "abandon" {
			sh.effect(RewriteRefs, "reflog", "")
		}
	case "util":
		if v, _ := o.get("expire"); sub == "gc" && v == "now" {
			sh.effect(RewriteRefs, "prune", "")
		}
		if sub == "exec" {
			sh.exec(after(c.args, "--", 1), c.in)
		}
	}
}

func (sh *shell) jujutsuGit(verb string, o options) {
	switch verb {
	case "push":
		if o.exact("deleted") && !o.exact("dry-run") {
			sh.effect(PushDelete, "branch", "")
		}
	case "remote":
		if oneOf(o.at(2), "remove rm") {
			sh.effect(RewriteRefs, "remote-remove", strings.Join(o.pos[3:], " "))
		}
	}
}
