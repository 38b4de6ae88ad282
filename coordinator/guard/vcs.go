package guard

import "strings"

// mercurial keeps no stash of its own accord, but it does keep a backup: of
// reverted files as .orig, of stripped changesets as a bundle. What counts is
// what goes without one.
func mercurial(sh *shell, c command) {
	o := parseOptions(c.args, "R repository cwd config r rev d date t tool I include X exclude m message b base name n")
	if o.short('n') || o.exact("dry-run") {
		return
	}
	switch verb := o.at(0); verb {
	case "update", "up", "checkout", "co", "goto":
		if o.short('C') || o.exact("clean") {
			sh.effect(Discard, "checkout-force", "")
		}
	case "revert":
		if o.exact("no-backup") || o.short('C') {
			sh.takenBack(o, o.short('a') || o.exact("all"))
		}
	case "purge", "clean":
		if !o.short('p') && !o.exact("print") {
			sh.purged(o)
		}
	case "strip":
		if o.exact("no-backup", "nobackup") {
			sh.effect(RewriteRefs, "reflog", "")
			return
		}
		sh.effect(RewriteRefs, "strip", o.at(1))
	case "shelve":
		if o.exact("cleanup") {
			sh.effect(Discard, "stash-clear", "")
		}
		if o.short('d') || o.exact("delete") {
			sh.effect(Discard, "stash-drop", "")
		}
	}
}

func (sh *shell) purged(o options) {
	op := "clean-all"
	if len(o.pos) > 1 && !containsString(o.pos, ".") {
		op = "clean-path"
	}
	sh.effect(Discard, op, strings.Join(o.pos[1:], " "))
}

// takenBack reports the operands of a revert that leaves no copy.
func (sh *shell) takenBack(o options, all bool) {
	if all {
		sh.effect(Discard, "restore-all", sh.place.cwd)
		return
	}
	sh.discards(o.pos[1:])
}

// subversion keeps nothing of what it reverts; what it deletes by a URL is
// deleted for everybody.
func subversion(sh *shell, c command) {
	o := parseOptions(c.args, "r revision m message F file username password depth config-dir config-option changelist cl")
	switch o.at(0) {
	case "revert":
		sh.discards(o.pos[1:])
	case "cleanup":
		if o.exact("remove-unversioned") {
			sh.effect(Discard, "clean-all", "")
		}
		if o.exact("remove-ignored") {
			sh.effect(Discard, "clean-ignored", "")
		}
	case "delete", "del", "remove", "rm":
		for _, target := range o.pos[1:] {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "^/") {
				sh.effect(DestroyRemote, "part", target)
			} else if o.exact("force") {
				sh.effect(DeleteTree, "git-force", sh.path(target))
			}
		}
	}
}
