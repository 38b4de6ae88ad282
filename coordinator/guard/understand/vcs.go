package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// historyTables are the programs that keep the history of files, git excepted.
var historyTables = []table{
	// Mercurial keeps backups: reverted files as .orig, and stripped changesets as a
	// bundle. The rows list only the commands that keep no backup.
	{
		programs: "hg chg", dry: "n dry-run",
		options: "R repository cwd config r rev d date t tool I include X exclude m message b base name n",
		rows: []row{
			{
				words: "update|up|checkout|co|goto",
				given: "C clean",
				does:  act{effect.Discard, effect.CheckoutForce, ""},
			},
			{words: "revert", given: "no-backup C", also: reverts},
			{words: "purge|clean", without: "p print", also: purges},
			{words: "strip", given: "no-backup nobackup", does: act{effect.RewriteRefs, effect.Reflog, ""}},
			{words: "strip", does: act{effect.RewriteRefs, effect.Strip, "$1"}},
			{words: "shelve", given: "cleanup", goOn: true, does: act{effect.Discard, effect.StashClear, ""}},
			{words: "shelve", given: "d delete", does: act{effect.Discard, effect.StashDrop, ""}},
		},
	},
	// Subversion keeps no copy of reverted files. A deletion by URL affects
	// everybody.
	{
		programs: "svn",
		options:  "r revision m message F file username password depth config-dir config-option changelist cl",
		rows: []row{
			{words: "revert", also: discardsOperands},
			{words: "cleanup", given: "remove-unversioned", goOn: true, does: act{effect.Discard, effect.CleanAll, ""}},
			{words: "cleanup", given: "remove-ignored", does: act{effect.Discard, effect.CleanIgnored, ""}},
			{words: "delete|del|remove|rm", also: deletesVersioned},
		},
	},
	// Jujutsu keeps each state of the working copy and of the refs in its operation
	// log, and `jj undo` restores it. The rows list only the commands that drop
	// entries from that log or that others see.
	{
		programs: "jj",
		options: "R r m b d A B c t f repository revision revisions message bookmark remote to from into " +
			"destination onto " +
			"config config-file expire at-op change named color",
		rows: []row{
			{words: "git push", given: "deleted", without: "dry-run", does: act{effect.PushDelete, effect.Branch, ""}},
			{words: "git remote remove|rm", does: act{effect.RewriteRefs, effect.RemoteRemove, "$3*"}},
			{words: "bookmark|branch|b delete|d|forget|f", does: act{effect.RewriteRefs, effect.BranchDelete, "#$2*"}},
			{words: "op|operation abandon", does: act{effect.RewriteRefs, effect.Reflog, ""}},
			{words: "util gc", given: "expire=now", does: act{effect.RewriteRefs, effect.Prune, ""}},
			{words: "util exec", also: runsBehindDashes},
		},
	},
	{programs: "bfg", rows: []row{{does: act{effect.RewriteRefs, effect.Filter, ""}}}},
}

// purges reports untracked files that are deleted: the named ones, or all.
func purges(sh *shell.Shell, _ shell.Command, o shell.Options) {
	named := o.From(1)
	op := effect.CleanPath
	if len(named) == 0 || slices.Contains(named, ".") {
		op = effect.CleanAll
	}
	sh.Effect(effect.Discard, op, strings.Join(named, " "))
}

// reverts reports files that are reverted without a backup.
func reverts(sh *shell.Shell, c shell.Command, o shell.Options) {
	if o.Given("a all") {
		sh.Effect(effect.Discard, effect.RestoreAll, sh.Place.Cwd)
		return
	}
	discardsOperands(sh, c, o)
}

// discardsOperands reports the operands after the verb as reverted files.
func discardsOperands(sh *shell.Shell, _ shell.Command, o shell.Options) {
	reportDiscards(sh, effect.RestorePath, o.From(1))
}

// deletesVersioned reports forced deletions here, and deletions by URL, which affect everybody.
func deletesVersioned(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, target := range o.From(1) {
		switch {
		case strings.Contains(target, "://"), strings.HasPrefix(target, "^/"):
			sh.Effect(effect.DestroyRemote, effect.Part, target)
		case o.Given("force"):
			sh.Effect(effect.DeleteTree, effect.GitForce, sh.Path(target))
		}
	}
}
