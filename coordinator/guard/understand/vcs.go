package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// mercurial keeps no stash of its own accord, but it does keep a backup: of
// reverted files as .orig, of stripped changesets as a bundle. What counts is
// what goes without one.
func mercurial(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "R repository cwd config r rev d date t tool I include X exclude m message b base name n")
	if o.Exact("n", "dry-run") {
		return
	}
	switch verb := o.At(0); verb {
	case "update", "up", "checkout", "co", "goto":
		if o.Exact("C", "clean") {
			sh.Effect(effect.Discard, effect.CheckoutForce, "")
		}
	case "revert":
		if o.Exact("no-backup", "C") {
			takenBack(sh, o, o.Exact("a", "all"))
		}
	case "purge", "clean":
		if !o.Short('p') && !o.Exact("print") {
			purged(sh, o)
		}
	case "strip":
		if o.Exact("no-backup", "nobackup") {
			sh.Effect(effect.RewriteRefs, effect.Reflog, "")
			return
		}
		sh.Effect(effect.RewriteRefs, effect.Strip, o.At(1))
	case "shelve":
		if o.Exact("cleanup") {
			sh.Effect(effect.Discard, effect.StashClear, "")
		}
		if o.Exact("d", "delete") {
			sh.Effect(effect.Discard, effect.StashDrop, "")
		}
	}
}

func purged(sh *shell.Shell, o shell.Options) {
	op := effect.CleanAll
	if len(o.Pos) > 1 && !slices.Contains(o.Pos, ".") {
		op = effect.CleanPath
	}
	sh.Effect(effect.Discard, op, strings.Join(o.Pos[1:], " "))
}

// takenBack reports the operands of a revert that leaves no copy.
func takenBack(sh *shell.Shell, o shell.Options, all bool) {
	if all {
		sh.Effect(effect.Discard, effect.RestoreAll, sh.Place.Cwd)
		return
	}
	discards(sh, o.Pos[1:])
}

// subversion keeps nothing of what it reverts; what it deletes by a URL is
// deleted for everybody.
func subversion(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "r revision m message F file username password depth config-dir config-option changelist cl")
	switch o.At(0) {
	case "revert":
		discards(sh, o.Pos[1:])
	case "cleanup":
		if o.Exact("remove-unversioned") {
			sh.Effect(effect.Discard, effect.CleanAll, "")
		}
		if o.Exact("remove-ignored") {
			sh.Effect(effect.Discard, effect.CleanIgnored, "")
		}
	case "delete", "del", "remove", "rm":
		for _, target := range o.Pos[1:] {
			if strings.Contains(target, "://") || strings.HasPrefix(target, "^/") {
				sh.Effect(effect.DestroyRemote, effect.Part, target)
			} else if o.Exact("force") {
				sh.Effect(effect.DeleteTree, effect.GitForce, sh.Path(target))
			}
		}
	}
}
