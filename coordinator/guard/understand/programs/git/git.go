// Package git has git, what it runs because of its settings, and what reads its diffs.
package git

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Programs are git, and what applies its diffs.
var Programs = []rows.Table{
	{Programs: "git", Options: gitOptions, Leads: true, Do: gitProgram},
	{Programs: "patch gpatch", Options: patchOptions, Dry: "dry-run C check o output", Do: reportUndone},
}

// gitProgram reads git's own options and settings, and then runs the subcommand.
func gitProgram(sh *shell.Shell, c shell.Command, o argv.Options) {
	child := sh.Sub()
	tree, _ := sh.Assigned("GIT_WORK_TREE")
	for _, dir := range append(o.All("C", "work-tree"), tree) {
		child.Place.Cwd = child.Path(cmp.Or(dir, "."))
	}
	settings := gitSettings(sh, o)
	for _, setting := range settings {
		if !readableHooks(child, setting) {
			gitSetting(child, setting)
		}
	}
	if len(o.Pos) == 0 || o.Given("version") {
		return
	}
	if argv := gitAlias(child, settings, o.Pos); argv != nil {
		child.Exec(argv, c.In)
		return
	}
	verb, args := strings.ToLower(o.Pos[0]), o.Pos[1:]
	runGitHooks(child, verb, args)
	if child.InMade(child.Place.Cwd) {
		defer child.Forgets(len(child.Eval.Effects), effect.RewriteRefs)
	}
	if overwritesOwn(child, verb, args) {
		child.Effect(effect.WriteFile, "", child.Place.Cwd)
	}
	gitTransports(child, args)
	t := rows.TableIn(Subcommands, verb)
	if t == nil {
		t = &gitOther
	}
	if t == &gitOther && !lex.OneOf(verb, gitOwn) && configuredAlias(child, o.Pos) {
		return
	}
	t.Run(child, shell.Command{Name: verb, Args: args, In: c.In}, false)
}

// gitOptions are the options of git itself.
const gitOptions = "C c git-dir work-tree namespace super-prefix config-env exec-path? attr-source -version -help"

// Subcommands are the subcommands that have options of their own.
var Subcommands = []rows.Table{
	{
		Programs: "push send-pack http-push",
		Options: "o repo receive-pack! exec! push-option -force -force-with-lease -force-if-includes -mirror -delete " +
			"-dry-run -prune -all -branches -tags",
		Dry: "n dry-run",
		Rows: []rows.Row{
			{Given: "mirror", Does: effect.PushForce, Op: effect.Mirror},
			{GoOn: true, Also: reportMirrorSetting},
			{Given: "d delete", Also: reportDeletedRefs},
			{Given: "prune", GoOn: true, Does: effect.PushDelete, Op: effect.Prune},
			{Also: gitRefspecs},
		},
	},
	{Programs: "reset", Options: "pathspec-from-file -hard -merge", Rows: []rows.Row{
		{Words: "*", GoOn: true, Does: effect.MoveHead, To: rows.Operand(0)},
		{Given: "hard", Words: "HEAD|@", Does: effect.Discard, Op: effect.ResetHard},
		{Given: "hard", Words: "*", Does: effect.Discard, Op: effect.ResetHardTo},
		{Given: "hard", Does: effect.Discard, Op: effect.ResetHard},
		{Given: "merge", Does: effect.Discard, Op: effect.ResetMerge},
	}},
	{
		Programs: "checkout",
		Options: "b B U orphan conflict unified inter-hunk-context pathspec-from-file -force -patch -ours -theirs " +
			"-detach -recurse-submodules",
		Rows: []rows.Row{
			{GoOn: true, Also: reportMovedHead},
			{Given: "f force", Does: effect.Discard, Op: effect.CheckoutForce},
			{Given: "pathspec-from-file=", Does: effect.Discard, Op: effect.RestorePath},
			{Given: "p patch"},
			{Given: "ours theirs", Also: gitTakesSide},
			{Given: "B=", GoOn: true, Does: effect.RewriteRefs, Op: effect.BranchReset, To: rows.ValueOf("B")},
			{Also: gitCheckoutPaths},
		},
	},
	{
		Programs: "switch", Options: "c C create -force force-create conflict orphan -discard-changes -detach",
		Rows: []rows.Row{
			{GoOn: true, Also: reportMovedHead},
			{Given: "f force discard-changes", GoOn: true, Does: effect.Discard, Op: effect.SwitchForce},
			{
				Given: "C= force-create=", Does: effect.RewriteRefs, Op: effect.BranchReset,
				To: rows.ValueOf("C force-create"),
			},
		},
	},
	{
		Programs: "restore", Options: "s source conflict pathspec-from-file -staged -worktree -patch -ours -theirs",
		Dry: "p patch",
		Rows: []rows.Row{
			{Given: "S staged", Without: "W worktree"},
			{Given: "ours theirs", Also: gitTakesSide},
			{Given: "pathspec-from-file=", GoOn: true, Does: effect.Discard, Op: effect.RestorePath},
			{
				Given: "s= source= S staged", Does: effect.Discard, Op: effect.RestorePath,
				To: rows.Pathspecs{rows.OperandsFrom(0)},
			},
			{Does: effect.Discard, Op: effect.RestoreIndexed, To: rows.Pathspecs{rows.OperandsFrom(0)}},
		},
	},
	{
		Programs: "clean", Options: "e exclude -dry-run -interactive -force", Dry: "n dry-run i interactive",
		Do: gitClean,
	},
	{Programs: "stash", Options: "m message pathspec-from-file", Rows: []rows.Row{
		{Words: "show", Also: secret.ReportCommitted},
		{First: "clear", Does: effect.Discard, Op: effect.StashClear},
		{First: "drop", Does: effect.Discard, Op: effect.StashDrop},
		{Words: "pop|apply|branch", Does: effect.KeepWork, Op: effect.StashPop},
		{Words: "list|create|store"},
		{Given: "p patch S staged k keep-index"},
		{Words: "save", Given: stashedAll, Does: effect.KeepWork, Op: effect.StashAll},
		{Words: "save", Does: effect.KeepWork, Op: effect.Stash},
		{
			Words: "* *", Given: stashedAll, Does: effect.KeepWork, Op: effect.StashAll,
			To: rows.Paths{rows.OperandsFrom(1)},
		},
		{Words: "* *", Does: effect.KeepWork, Op: effect.Stash, To: rows.Paths{rows.OperandsFrom(1)}},
		{Given: stashedAll, Does: effect.KeepWork, Op: effect.StashAll},
		{Does: effect.KeepWork, Op: effect.Stash},
	}},
	{Programs: "branch", Options: "u set-upstream-to sort format contains -delete -force -remotes", Rows: []rows.Row{
		{Given: "r remotes"},
		{Given: "D", Does: effect.RewriteRefs, Op: effect.BranchDeleteForce, To: rows.Each{rows.OperandsFrom(0)}},
		{
			Given: "d delete", With: "f force",
			Does: effect.RewriteRefs, Op: effect.BranchDeleteForce, To: rows.Each{rows.OperandsFrom(0)},
		},
		{Given: "d delete", Does: effect.RewriteRefs, Op: effect.BranchDelete, To: rows.Each{rows.OperandsFrom(0)}},
		{Given: "f force M", Does: effect.RewriteRefs, Op: effect.BranchForce, To: rows.Operand(0)},
	}},
	{Programs: "tag", Options: "m F u message file sort format -delete", Rows: []rows.Row{
		{Given: "d delete", Does: effect.RewriteRefs, Op: "tag-delete", To: rows.OperandsFrom(0)},
	}},
	{
		Programs: "config",
		Options: "f file blob type default comment value -list -unset -unset-all -get -get-all -get-urlmatch " +
			"-get-regexp",
		Do: gitConfig,
	},
	{
		Programs: "clone",
		Options:  "u! upload-pack! c config b branch depth o origin reference j jobs filter separate-git-dir template",
		Do:       gitClone,
	},
	{Programs: "diff diff-files diff-index", Options: gitShown + " U O", Rows: gitOutput, Do: printDiff},
	{Programs: "show blame annotate cat-file log", Options: gitShown, Rows: gitOutput, Do: secret.ReportCommitted},
	{Programs: "rebase", Options: "x! exec! onto s X strategy strategy-option -abort -skip -continue", Rows: Rows},
	{Programs: "fetch pull ls-remote", Options: "upload-pack! o server-option depth j jobs -force", Rows: Rows},
	{Programs: "difftool", Options: "x! extcmd! t tool"},
	{Programs: "grep", Options: "O?! open-files-in-pager?! e f m A B C max-depth threads"},
	{Programs: "archive", Options: "exec! remote o output format prefix", Rows: []rows.Row{
		{Words: "*", Without: "remote prefix l", Also: printTree},
	}},
	{
		Programs: "filter-branch",
		Options: "tree-filter! index-filter! msg-filter! env-filter! parent-filter! commit-filter! " +
			"tag-name-filter! d original",
		Rows: Rows,
	},
}

// gitOutput are the rows of subcommands that write a file instead of printing.
var gitOutput = []rows.Row{{Given: "output=", As: &writesShown}}

var writesShown = rows.Act{Kind: effect.WriteFile, To: rows.Paths{rows.ValueOf("output")}}

// stashedAll are the options of "git stash" for files that git does not track.
const stashedAll = "u include-untracked a all"

const gitShown = "output m message c S G author since until grep format pretty"

// gitOther is every other subcommand.
var gitOther = rows.Table{
	Options: gitShown + " git-path expire expire-unreachable prune? -force -delete -cached -reset",
	Rows:    Rows,
}

// overwritesOwn reports whether a subcommand changes files of a repository with Afar's own files.
func overwritesOwn(sh *shell.Shell, verb string, args []string) bool {
	const writing = "am apply checkout cherry-pick clean merge mv pull rebase reset restore revert rm stash switch"
	return lex.OneOf(verb, writing) && sh.IsOwn(sh.Place.Cwd) && !lex.ContainsAny(args, "list show")
}

// gitCheckoutPaths reports the files that a checkout restores. It tells branches from files, which
// git does by looking at the disk.
func gitCheckoutPaths(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case slices.Contains(c.Args, "--"):
		op := effect.RestorePath
		if len(o.Pos) == len(o.Behind) { // no commit before the paths
			op = effect.RestoreIndexed
		}
		rows.ReportDiscards(sh, op, o.Behind)
	case o.Given("b B orphan t track detach"):
	case len(o.Pos) == 1:
		if rows.LooksLikePath(o.Pos[0]) {
			rows.ReportDiscards(sh, effect.RestoreIndexed, o.Pos)
		}
	case len(o.Pos) == 2 && o.Given("recurse-submodules conflict") && !rows.LooksLikePath(o.Pos[1]):
	default:
		rows.ReportDiscards(sh, effect.RestorePath, o.From(1))
	}
}

// gitTakesSide reports a checkout that takes one side of conflicting files. It also discards the
// changes to every other file that the pathspec matches, so only pathspecs for the whole tree are
// reported.
func gitTakesSide(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, p := range o.Pos {
		if rows.IsWholeTree(sh, p) {
			sh.Effect(effect.Discard, effect.RestorePath, sh.Path(p))
		}
	}
}

// gitClean reports the files that "git clean" deletes.
func gitClean(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if !o.Given("f force") && !gitSet(sh, "clean.requireforce", "false 0 no off") {
		return
	}
	op, whole := effect.CleanPath, len(o.Pos) == 0 || slices.Contains(o.Pos, ".")
	switch {
	case o.Given("X"), o.Given("x") && !whole:
		op = effect.CleanIgnored
	case o.Given("x"):
		op = effect.CleanAll
	case whole:
		op = effect.Clean
	}
	sh.Effect(effect.Discard, op, strings.Join(o.Pos, " "))
}

// gitConfig reads both forms of the command, with verbs and with options. A value may be a command.
func gitConfig(sh *shell.Shell, _ shell.Command, o argv.Options) {
	words, verb := o.Pos, o.At(0)
	changes := len(words) > 1 && !lex.OneOf(verb, "get list edit") || o.Given("unset unset-all remove-section")
	afars := func(word string) bool { return lex.BeginsWith(strings.ToLower(word)+".", "afar.") }
	switch {
	case o.Given("list get get-all get-urlmatch get-regexp") || !changes:
	case slices.ContainsFunc(words[:min(3, len(words))], afars):
		sh.Effect(effect.SteerAfar, effect.Named("git setting"), strings.Join(words, " "))
		return
	}
	switch {
	case lex.OneOf(verb, "list unset edit"):
		return
	case lex.OneOf(verb, "get set"):
		words = words[1:]
	case o.Given("get get-all get-urlmatch get-regexp"):
		verb = "get"
	case o.Given("unset unset-all"):
		return
	case len(words) == 1:
		verb = "get"
	}
	key := lex.First(words)
	switch {
	case verb == "get":
		if IsSecretSetting(key) {
			secret.ReportKey(sh, "git setting", key)
		}
	case len(words) > 1 && !o.Given("list unset unset-all"):
		gitSetting(sh, key+"="+words[1])
		sh.Files["git "+strings.ToLower(key)] = words[1]
		if key = strings.ToLower(key); changesFutureRuns(key, words[1]) {
			sh.Effect(effect.GitSettings, "", key)
		}
	}
}

// changesFutureRuns reports whether a setting makes later commands run or fetch something else.
func changesFutureRuns(key, text string) bool {
	switch {
	case lex.OneOf(key, "core.fsmonitor core.hookspath core.sshcommand include.path init.templatedir"):
		return true
	case strings.HasPrefix(key, "url."), strings.HasPrefix(text, "!"):
		return true
	case strings.HasPrefix(key, "filter."):
		return text != "" && !strings.HasPrefix(text, "git-lfs ")
	}
	if strings.HasPrefix(key, "remote.") { // as a push would be with these words
		return strings.HasSuffix(key, ".mirror") || strings.HasSuffix(key, ".push") && lex.BeginsWith(text, "+ :")
	}
	return key == "credential.helper" && strings.Contains(text, "store")
}

// IsSecretSetting reports whether a setting of git or of npm holds a credential.
func IsSecretSetting(key string) bool {
	name := strings.ToLower(key[strings.LastIndexAny(key, ".:")+1:])
	switch {
	case strings.HasSuffix(name, "extraheader"), lex.OneOf(name, "smtppass _auth npmauthident"):
		return true
	}
	return protected.SecretName(name)
}

// Rows describe subcommands of git. The program of a row is the subcommand.
var Rows = []rows.Row{
	{Of: "merge cherry-pick revert am rebase", Given: "abort skip", Does: effect.Discard, Op: effect.GiveUp},
	{Of: "add stage commit update-index", Without: "n dry-run", GoOn: true, Also: reportKeptWork},
	{Of: "add stage commit update-index", Without: "n dry-run", Also: secret.ReportStaged},
	{Of: "hash-object", Given: "w", Also: secret.ReportStaged},
	{Of: "shortlog whatchanged range-diff diff-tree reflog", Given: "output=", As: &writesShown},
	{Of: "bundle", Words: "create -", Also: rows.PrintData},
	{Of: "bundle", Words: "create *", Does: effect.WriteFile, To: rows.Paths{rows.Operand(1)}},
	{Of: "init", Words: "*", Also: rememberRepository},
	{Of: "rebase", Given: "continue quit edit-todo show-current-patch"},
	{Of: "rebase", Does: effect.RewriteRefs, Op: effect.Rebase},
	{Of: "fetch pull", Without: "dry-run", GoOn: true, Also: gitFetched},
	{Of: "pull", Given: "r rebase", Does: effect.RewriteRefs, Op: effect.Rebase},
	{Of: "bisect", First: "run", Runs: &rows.Start{Words: rows.After("run")}},
	{Of: "submodule", Words: "foreach", Also: runInSubmodules},
	{Of: "submodule", Words: "deinit", Given: "f force", Does: effect.Discard, Op: effect.Worktree},
	{Of: "filter-branch filter-repo", Without: "analyze", Does: effect.RewriteRefs, Op: effect.Filter},
	{Of: "reflog", Words: "delete", Does: effect.RewriteRefs, Op: effect.Reflog},
	{
		Of: "reflog", Words: "expire", Without: "n dry-run",
		Given: "expire=now expire=all expire=0 expire-unreachable=now expire-unreachable=all expire-unreachable=0",
		Does:  effect.RewriteRefs, Op: effect.Reflog,
	},
	{Of: "gc prune", Given: "prune=now prune=all", Does: effect.RewriteRefs, Op: effect.Prune},
	{Of: "prune", Without: "n", Does: effect.RewriteRefs, Op: effect.Prune},
	{Of: "gc prune", Also: reportPruneSetting},
	{Of: "update-ref", Given: "stdin", Also: reportUpdatedRefs},
	{Of: "update-ref", Given: "d delete", Does: effect.RewriteRefs, Op: effect.RefDelete, To: rows.Operand(0)},
	{
		Of: "update-ref", Words: protected.UndoRefs + "|" + protected.UndoRefs + "/*",
		Does: effect.RewriteRefs, Op: effect.RefDelete, To: rows.Operand(0),
	},
	{Of: "update-ref", Words: "refs/heads/*", Does: effect.RewriteRefs, Op: effect.BranchForce, To: rows.Operand(0)},
	{
		Of: "update-ref", Words: "refs/remotes/*|refs/replace/*", Does: effect.RewriteRefs, Op: effect.Base,
		To: rows.Operand(0),
	},
	{Of: "replace", Given: "d delete l list"},
	{Of: "replace", Words: "*", Does: effect.RewriteRefs, Op: effect.Base, To: rows.OperandsFrom(0)},
	{Of: "symbolic-ref", Words: "refs/remotes/*/HEAD|*/HEAD"},
	{Of: "symbolic-ref", Words: "refs/remotes/* *", Does: effect.RewriteRefs, Op: effect.Base, To: rows.Operand(0)},
	{Of: "symbolic-ref", Words: "HEAD *", Does: effect.MoveHead, OpOf: rows.Operand(1), To: rows.Operand(1)},
	{Of: "symbolic-ref", Given: "d delete", Does: effect.RewriteRefs, Op: effect.RefDelete, To: rows.Operand(0)},
	{Of: "ls-files", Also: printFiles},
	{Of: "for-each-ref", Given: "format=", Also: printFormat},
	{Of: "status", Given: "s short porcelain", Also: printStatus},
	{Of: "worktree", Words: "add", Also: rememberWorktree},
	{
		Of: "worktree", Words: "remove", Given: "f force",
		Made: &rows.Made{Kind: "worktree", Names: rows.Paths{rows.Operand(1)}}, Does: effect.Discard,
		Op: effect.Worktree,
		To: rows.Paths{rows.Operand(1)},
	},
	{Of: "rm", Given: "cached n"},
	{
		Of: "rm", Given: "r", With: "f force", Does: effect.DeleteTree, Op: effect.GitForce,
		To: rows.Paths{rows.OperandsFrom(0)},
	},
	{Of: "rm", Given: "r", Does: effect.DeleteTree, To: rows.Paths{rows.OperandsFrom(0)}},
	{Of: "rm", Given: "f force", Does: effect.DeleteFile, Op: effect.GitForce, To: rows.Paths{rows.OperandsFrom(0)}},
	{Of: "rm", Does: effect.DeleteFile, To: rows.Paths{rows.OperandsFrom(0)}},
	{Of: "mv", Also: gitMove},
	{Of: "checkout-index", Given: "prefix temp"},
	{Of: "checkout-index", Given: "f force", With: "a all", Does: effect.Discard, Op: effect.RestoreAll},
	{
		Of: "checkout-index", Given: "f force", Does: effect.Discard, Op: effect.RestorePath,
		To: rows.Paths{rows.OperandsFrom(0)},
	},
	{Of: "apply", Without: "check stat numstat summary cached", Also: reportUndone},
	{
		Of: "submodule", Words: "update", Given: "f force",
		Does: effect.Discard, Op: effect.CheckoutForce, To: rows.Text("submodules"),
	},
	{Of: "read-tree", Given: "reset u", Does: effect.Discard, Op: effect.ReadTree},
	{Of: "remote", Words: "add|set-url", Also: rememberRemote},
	{Of: "remote", Words: "remove|rm", Does: effect.RewriteRefs, Op: effect.RemoteRemove, To: rows.Operand(1)},
	{Of: "rev-parse", Also: printPlaces},
	{Of: "lfs", Words: "prune", Does: effect.RewriteRefs, Op: "lfs-prune"},
	{Of: "lfs", Words: "migrate", Does: effect.RewriteRefs, Op: "lfs-migrate"},
	{Of: "send-email", Does: effect.SendOut, Op: "patches"},
}

// reportKeptWork reports what "git add" stages and what "git commit" commits.
func reportKeptWork(sh *shell.Shell, c shell.Command, o argv.Options) {
	op := effect.Stage
	switch {
	case c.Name == "update-index", o.Given("p patch interactive"):
		return
	case c.Name != "commit":
	case len(o.Pos) > 0, o.Given("a all"): // all of these files
		op = effect.CommitAll
	default:
		op = effect.Commit
	}
	rows.Act{Kind: effect.KeepWork, Op: op, To: rows.Paths{rows.OperandsFrom(0)}}.Report(sh, c, o)
	if len(o.Pos) == 0 && (op != effect.Stage || o.Given("A all u update")) {
		sh.Effect(effect.KeepWork, op, "")
	}
}

// runInSubmodules runs the command of "git submodule foreach".
func runInSubmodules(sh *shell.Shell, c shell.Command, _ argv.Options) {
	_, code := argv.Leading(lex.After(c.Args, "foreach", 1), "")
	sh.Run(strings.Join(code, " "), nil)
}

// reportPruneSetting reports objects that are pruned at once because a setting says so.
func reportPruneSetting(sh *shell.Shell, _ shell.Command, _ argv.Options) {
	if gitSet(sh, "gc.reflogexpire gc.pruneexpire", "now all 0") {
		sh.Effect(effect.RewriteRefs, effect.Prune, "")
	}
}

// changedFiles is a pattern for the files whose content no commit has.
const changedFiles = "./" + partial.Unknown + "/*\n"

// printFiles prints all files of the work tree, or patterns for those whose content no commit has.
func printFiles(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case o.Given("o others m modified"):
		printBelow(sh, o.Pos)
	case len(o.Pos) > 0:
	case len(c.Args) == strings.Count(" "+strings.Join(c.Args, " "), " -z"):
		sh.Print("." + shell.EveryFile + "\n")
	}
}

// printBelow prints patterns for files below paths, or for those that patterns find.
func printBelow(sh *shell.Shell, paths []string) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		switch {
		case fspath.HasGlob(p):
			sh.Print("./" + partial.Unknown + "/" + p + "\n")
		case p == ".", strings.HasSuffix(p, "/"), !rows.LooksLikePath(p):
			sh.Print(strings.TrimSuffix(p, "/") + "/" + partial.Unknown + "/*\n")
		default:
			sh.Print(p + "\n")
		}
	}
}

// printStatus prints how files differ from the last commit.
func printStatus(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if len(o.Pos) == 0 {
		sh.Print("?? " + changedFiles + " M " + changedFiles)
	}
}

// rememberWorktree remembers a worktree that this call makes, and reports the branch that it resets.
func rememberWorktree(sh *shell.Shell, c shell.Command, _ argv.Options) {
	o := argv.ParseOptions(c.Args, "b B reason")
	if branch, ok := o.Get("B"); ok {
		sh.Effect(effect.RewriteRefs, effect.BranchReset, branch)
	}
	sh.Makes("worktree", sh.Path(o.At(1)))
}

// printFormat prints a format with a hole for each field.
func printFormat(sh *shell.Shell, _ shell.Command, o argv.Options) {
	format, _ := o.Get("format")
	for i, part := range strings.Split(format, "%(") {
		if _, rest, ok := strings.Cut(part, ")"); ok && i > 0 {
			part = partial.Unknown + rest
		}
		sh.Print(part)
	}
	sh.Print("\n")
}

// gitMove reports files that are moved.
func gitMove(sh *shell.Shell, c shell.Command, o argv.Options) {
	rows.Act{Kind: effect.MoveAway, To: rows.Paths{rows.AllButLast}}.Report(sh, c, o)
	for _, from := range o.Pos[:max(0, len(o.Pos)-1)] {
		to := o.Pos[len(o.Pos)-1]
		sh.Write(to)
		sh.Moved(from, to)
	}
}

// printPlaces prints what "git rev-parse" says of the work tree and of the repository's folder.
func printPlaces(sh *shell.Shell, _ shell.Command, o argv.Options) {
	top := rows.Toplevel(sh)
	switch path, named := o.Get("git-path"); {
	case named:
		sh.Print(top + "/.git/" + path + "\n")
	case o.Given("git-dir absolute-git-dir git-common-dir"):
		sh.Print(top + "/.git\n")
	case o.Given("show-toplevel"):
		sh.Print(top + "\n")
	}
}

// gitFetched reports local branches that a forced refspec overwrites with those of
// the remote. Remote-tracking refs are ignored, because they only mirror the remote.
func gitFetched(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, r := range o.From(1) {
		from, to, _ := strings.Cut(r, ":")
		branch := rows.BranchOf(to)
		switch {
		case movesBase(sh, o.At(0), from, to):
		case branch == "", strings.HasPrefix(branch, "refs/"):
		case o.Given("f force"), strings.HasPrefix(r, "+"):
			sh.Effect(effect.RewriteRefs, effect.BranchForce, branch)
		}
	}
}

// reportUpdatedRefs reports the refs that lines of "verb ref value" from standard input delete or move.
func reportUpdatedRefs(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if c.In == nil {
		sh.Effect(effect.RewriteRefs, effect.Base, partial.Unknown)
	}
	for _, line := range shell.SplitLines(strings.Join(rows.Stdin(c), "")) {
		verb, rest, _ := strings.Cut(line, " ")
		ref, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch {
		case partial.HasHole(verb):
			sh.Effect(effect.RewriteRefs, effect.Base, verb)
		case verb == "delete" || protected.HoldsUndo(ref):
			sh.Effect(effect.RewriteRefs, effect.RefDelete, rows.BranchOf(ref))
		case verb == "verify":
		case lex.BeginsWith(ref, "refs/remotes/ refs/replace/"):
			sh.Effect(effect.RewriteRefs, effect.Base, ref)
		case verb == "update" && strings.HasPrefix(ref, "refs/heads/"):
			sh.Effect(effect.RewriteRefs, effect.BranchForce, rows.BranchOf(ref))
		}
	}
}

// gitClone reports a clone with its settings, and one into a directory from which Afar or the host
// loads files.
func gitClone(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, setting := range o.All("c", "config") {
		gitSetting(sh, setting)
	}
	if len(o.Pos) > 1 {
		p := sh.Path(o.Pos[len(o.Pos)-1])
		if _, ofHost := protected.HostFolder(p, sh.Eval.Site.Env); ofHost || sh.IsOwn(p) {
			sh.Effect(effect.WriteFile, "", p)
		}
	}
	rememberClone(sh, o.At(0), o.At(1))
}

// rememberRepository remembers a repository that "git init" makes, unless its directory is there.
func rememberRepository(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.MakesTree(sh.Path(o.At(0)))
}

// Readers are the subcommands that only read.
const Readers = "diff log show status blame annotate ls-files ls-tree rev-parse rev-list cat-file describe " +
	"shortlog merge-base name-rev for-each-ref show-ref check-ignore check-attr diff-tree diff-index diff-files " +
	"range-diff cherry count-objects whatchanged show-branch version var get-tar-commit-id verify-commit verify-tag"
