package understand

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// gitPrograms are git, and what applies its diffs.
var gitPrograms = []table{
	{programs: "git", options: gitOptions, leads: true, do: gitProgram},
	{programs: "patch gpatch", options: patchOptions, dry: "dry-run C check o output", do: undoesDiff},
}

// gitProgram reads git's own options and settings, and then runs the subcommand.
func gitProgram(sh *shell.Shell, c shell.Command, o shell.Options) {
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
	t := tableIn(gitTables, verb)
	if t == nil {
		t = &gitOther
	}
	if t == &gitOther && !lex.OneOf(verb, gitOwn) && configuredAlias(child, o.Pos) {
		return
	}
	t.run(child, shell.Command{Name: verb, Args: args, In: c.In}, false)
}

// gitOptions are the options of git itself.
const gitOptions = "C c git-dir work-tree namespace super-prefix config-env exec-path? attr-source -version -help"

// gitTables are the subcommands that have options of their own.
var gitTables = []table{
	{
		programs: "push send-pack http-push",
		options: "o repo receive-pack! exec! push-option -force -force-with-lease -force-if-includes -mirror -delete " +
			"-dry-run -prune -all -branches -tags",
		dry: "n dry-run",
		rows: []row{
			{given: "mirror", does: effect.PushForce, op: effect.Mirror},
			{goOn: true, also: mirrorsBySettings},
			{given: "d delete", also: deletesRefs},
			{given: "prune", goOn: true, does: effect.PushDelete, op: effect.Prune},
			{also: gitRefspecs},
		},
	},
	{programs: "reset", options: "pathspec-from-file -hard -merge", rows: []row{
		{words: "*", goOn: true, does: effect.MoveHead, to: operand(0)},
		{given: "hard", words: "HEAD|@", does: effect.Discard, op: effect.ResetHard},
		{given: "hard", words: "*", does: effect.Discard, op: effect.ResetHardTo},
		{given: "hard", does: effect.Discard, op: effect.ResetHard},
		{given: "merge", does: effect.Discard, op: effect.ResetMerge},
	}},
	{
		programs: "checkout",
		options: "b B U orphan conflict unified inter-hunk-context pathspec-from-file -force -patch -ours -theirs " +
			"-detach -recurse-submodules",
		rows: []row{
			{goOn: true, also: movesHead},
			{given: "f force", does: effect.Discard, op: effect.CheckoutForce},
			{given: "pathspec-from-file=", does: effect.Discard, op: effect.RestorePath},
			{given: "p patch"},
			{given: "ours theirs", also: gitTakesSide},
			{given: "B=", goOn: true, does: effect.RewriteRefs, op: effect.BranchReset, to: valueOf("B")},
			{also: gitCheckoutPaths},
		},
	},
	{
		programs: "switch", options: "c C create -force force-create conflict orphan -discard-changes -detach",
		rows: []row{
			{goOn: true, also: movesHead},
			{given: "f force discard-changes", goOn: true, does: effect.Discard, op: effect.SwitchForce},
			{
				given: "C= force-create=", does: effect.RewriteRefs, op: effect.BranchReset,
				to: valueOf("C force-create"),
			},
		},
	},
	{
		programs: "restore", options: "s source conflict pathspec-from-file -staged -worktree -patch -ours -theirs",
		dry: "p patch",
		rows: []row{
			{given: "S staged", without: "W worktree"},
			{given: "ours theirs", also: gitTakesSide},
			{given: "pathspec-from-file=", goOn: true, does: effect.Discard, op: effect.RestorePath},
			{
				given: "s= source= S staged", does: effect.Discard, op: effect.RestorePath,
				to: pathspecs{operandsFrom(0)},
			},
			{does: effect.Discard, op: effect.RestoreIndexed, to: pathspecs{operandsFrom(0)}},
		},
	},
	{
		programs: "clean", options: "e exclude -dry-run -interactive -force", dry: "n dry-run i interactive",
		do: gitClean,
	},
	{programs: "stash", options: "m message pathspec-from-file", rows: []row{
		{words: "show", also: showsCommitted},
		{first: "clear", does: effect.Discard, op: effect.StashClear},
		{first: "drop", does: effect.Discard, op: effect.StashDrop},
		{words: "pop|apply|branch", does: effect.KeepWork, op: effect.StashPop},
		{words: "list|create|store"},
		{given: "p patch S staged k keep-index"},
		{words: "save", given: stashedAll, does: effect.KeepWork, op: effect.StashAll},
		{words: "save", does: effect.KeepWork, op: effect.Stash},
		{words: "* *", given: stashedAll, does: effect.KeepWork, op: effect.StashAll, to: files{operandsFrom(1)}},
		{words: "* *", does: effect.KeepWork, op: effect.Stash, to: files{operandsFrom(1)}},
		{given: stashedAll, does: effect.KeepWork, op: effect.StashAll},
		{does: effect.KeepWork, op: effect.Stash},
	}},
	{programs: "branch", options: "u set-upstream-to sort format contains -delete -force -remotes", rows: []row{
		{given: "r remotes"},
		{given: "D", does: effect.RewriteRefs, op: effect.BranchDeleteForce, to: each{operandsFrom(0)}},
		{
			given: "d delete", with: "f force",
			does: effect.RewriteRefs, op: effect.BranchDeleteForce, to: each{operandsFrom(0)},
		},
		{given: "d delete", does: effect.RewriteRefs, op: effect.BranchDelete, to: each{operandsFrom(0)}},
		{given: "f force M", does: effect.RewriteRefs, op: effect.BranchForce, to: operand(0)},
	}},
	{programs: "tag", options: "m F u message file sort format -delete", rows: []row{
		{given: "d delete", does: effect.RewriteRefs, op: "tag-delete", to: operandsFrom(0)},
	}},
	{
		programs: "config",
		options: "f file blob type default comment value -list -unset -unset-all -get -get-all -get-urlmatch " +
			"-get-regexp",
		do: gitConfig,
	},
	{
		programs: "clone",
		options:  "u! upload-pack! c config b branch depth o origin reference j jobs filter separate-git-dir template",
		do:       gitClone,
	},
	{programs: "diff diff-files diff-index", options: gitShown + " U O", rows: gitOutput, do: printsDiff},
	{programs: "show blame annotate cat-file log", options: gitShown, rows: gitOutput, do: showsCommitted},
	{programs: "rebase", options: "x! exec! onto s X strategy strategy-option -abort -skip -continue", rows: gitRows},
	{programs: "fetch pull ls-remote", options: "upload-pack! o server-option depth j jobs -force", rows: gitRows},
	{programs: "difftool", options: "x! extcmd! t tool"},
	{programs: "grep", options: "O?! open-files-in-pager?! e f m A B C max-depth threads"},
	{programs: "archive", options: "exec! remote o output format prefix", rows: []row{
		{words: "*", without: "remote prefix l", also: printsTree},
	}},
	{
		programs: "filter-branch",
		options: "tree-filter! index-filter! msg-filter! env-filter! parent-filter! commit-filter! " +
			"tag-name-filter! d original",
		rows: gitRows,
	},
}

// gitOutput are the rows of subcommands that write a file instead of printing.
var gitOutput = []row{{given: "output=", as: &writesShown}}

var writesShown = act{kind: effect.WriteFile, to: files{valueOf("output")}}

// stashedAll are the options of "git stash" for files that git does not track.
const stashedAll = "u include-untracked a all"

const gitShown = "output m message c S G author since until grep format pretty"

// gitOther is every other subcommand.
var gitOther = table{
	options: gitShown + " git-path expire expire-unreachable prune? -force -delete -cached -reset",
	rows:    gitRows,
}

// overwritesOwn reports whether a subcommand changes files of a repository with Afar's own files.
func overwritesOwn(sh *shell.Shell, verb string, args []string) bool {
	const writing = "checkout switch restore reset stash pull merge rebase apply am cherry-pick revert clean rm mv"
	return lex.OneOf(verb, writing) && sh.IsOwn(sh.Place.Cwd) && !lex.ContainsAny(args, "list show")
}

// gitCheckoutPaths reports the files that a checkout restores. It tells branches from files, which
// git does by looking at the disk.
func gitCheckoutPaths(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch {
	case slices.Contains(c.Args, "--"):
		op := effect.RestorePath
		if len(o.Pos) == len(o.Behind) { // no commit before the paths
			op = effect.RestoreIndexed
		}
		reportDiscards(sh, op, o.Behind)
	case o.Given("b B orphan t track detach"):
	case len(o.Pos) == 1:
		if looksLikePath(o.Pos[0]) {
			reportDiscards(sh, effect.RestoreIndexed, o.Pos)
		}
	case len(o.Pos) == 2 && o.Given("recurse-submodules conflict") && !looksLikePath(o.Pos[1]):
	default:
		reportDiscards(sh, effect.RestorePath, o.From(1))
	}
}

// gitTakesSide reports a checkout that takes one side of conflicting files. It also discards the
// changes to every other file that the pathspec matches, so only pathspecs for the whole tree are
// reported.
func gitTakesSide(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, p := range o.Pos {
		if wholeTree(sh, p) {
			sh.Effect(effect.Discard, effect.RestorePath, sh.Path(p))
		}
	}
}

// looksLikePath reports whether a word is a pathspec rather than a branch. Git would
// look at the disk. This function looks for dots, globs, a trailing slash or a short
// alphabetic extension.
func looksLikePath(s string) bool {
	switch {
	case lex.OneOf(s, ". .."), lex.BeginsWith(s, "./ ../ / :"), fspath.HasGlob(s), strings.HasSuffix(s, "/"):
		return true
	}
	ext := s[strings.LastIndexByte(s, '.')+1:]
	switch {
	case ext == "", ext == s, len(ext) > maxExtension, ext == "x": // 1.x is a branch for a version
		return false
	}
	return !strings.ContainsFunc(ext, func(r rune) bool { return r > 0x7f || !lex.IsLetter(byte(r)) })
}

// maxExtension bounds the extension of a file's name.
const maxExtension = 5

// reportDiscards reports pathspecs whose changes in the work tree an operation loses.
func reportDiscards(sh *shell.Shell, op effect.Op, paths []string) {
	for _, p := range paths {
		if wholeTree(sh, p) {
			sh.Effect(effect.Discard, effect.RestoreAll, sh.Path(p))
		} else {
			sh.Effect(effect.Discard, op, sh.Path(p))
		}
	}
}

// wholeTree reports whether a pathspec matches all files.
func wholeTree(sh *shell.Shell, p string) bool {
	switch {
	case strings.Trim(p, partial.Holes) == "", lex.OneOf(p, ". ./ :/ :/* * ./* :(top) **"):
		return true
	}
	return slices.Contains([]string{sh.Place.Cwd, toplevel(sh)}, sh.Path(p))
}

// gitClean reports the files that "git clean" deletes.
func gitClean(sh *shell.Shell, _ shell.Command, o shell.Options) {
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
func gitConfig(sh *shell.Shell, _ shell.Command, o shell.Options) {
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
		if secretSetting(key) {
			showsKey(sh, "git setting", key)
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
	case lex.OneOf(key, "core.hookspath core.sshcommand core.fsmonitor init.templatedir include.path"):
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

// secretSetting reports whether a setting of git or of npm holds a credential.
func secretSetting(key string) bool {
	name := strings.ToLower(key[strings.LastIndexAny(key, ".:")+1:])
	switch {
	case strings.HasSuffix(name, "extraheader"), lex.OneOf(name, "smtppass _auth npmauthident"):
		return true
	}
	return protected.SecretName(name)
}

// gitRows describe subcommands of git. The program of a row is the subcommand.
var gitRows = []row{
	{of: "merge cherry-pick revert am rebase", given: "abort skip", does: effect.Discard, op: effect.GiveUp},
	{of: "add stage commit update-index", without: "n dry-run", goOn: true, also: keepsWork},
	{of: "add stage commit update-index", without: "n dry-run", also: stagesSecrets},
	{of: "hash-object", given: "w", also: stagesSecrets},
	{of: "shortlog whatchanged range-diff diff-tree reflog", given: "output=", as: &writesShown},
	{of: "bundle", words: "create *", does: effect.WriteFile, to: files{operand(1)}},
	{of: "init", words: "*", also: makesRepository},
	{of: "rebase", given: "continue quit edit-todo show-current-patch"},
	{of: "rebase", does: effect.RewriteRefs, op: effect.Rebase},
	{of: "fetch pull", without: "dry-run", goOn: true, also: gitFetched},
	{of: "pull", given: "r rebase", does: effect.RewriteRefs, op: effect.Rebase},
	{of: "bisect", first: "run", runs: &start{words: after("run")}},
	{of: "submodule", words: "foreach", also: runsInSubmodules},
	{of: "submodule", words: "deinit", given: "f force", does: effect.Discard, op: effect.Worktree},
	{of: "filter-branch filter-repo", without: "analyze", does: effect.RewriteRefs, op: effect.Filter},
	{of: "reflog", words: "delete", does: effect.RewriteRefs, op: effect.Reflog},
	{
		of: "reflog", words: "expire", without: "n dry-run",
		given: "expire=now expire=all expire=0 expire-unreachable=now expire-unreachable=all expire-unreachable=0",
		does:  effect.RewriteRefs, op: effect.Reflog,
	},
	{of: "gc prune", given: "prune=now prune=all", does: effect.RewriteRefs, op: effect.Prune},
	{of: "prune", without: "n", does: effect.RewriteRefs, op: effect.Prune},
	{of: "gc prune", also: prunesBySettings},
	{of: "update-ref", given: "stdin", also: updatesRefs},
	{of: "update-ref", given: "d delete", does: effect.RewriteRefs, op: effect.RefDelete, to: operand(0)},
	{
		of: "update-ref", words: protected.UndoRefs + "|" + protected.UndoRefs + "/*",
		does: effect.RewriteRefs, op: effect.RefDelete, to: operand(0),
	},
	{of: "update-ref", words: "refs/heads/*", does: effect.RewriteRefs, op: effect.BranchForce, to: operand(0)},
	{
		of: "update-ref", words: "refs/remotes/*|refs/replace/*", does: effect.RewriteRefs, op: effect.Base,
		to: operand(0),
	},
	{of: "replace", given: "d delete l list"},
	{of: "replace", words: "*", does: effect.RewriteRefs, op: effect.Base, to: operandsFrom(0)},
	{of: "symbolic-ref", words: "refs/remotes/*/HEAD|*/HEAD"},
	{of: "symbolic-ref", words: "refs/remotes/* *", does: effect.RewriteRefs, op: effect.Base, to: operand(0)},
	{of: "symbolic-ref", words: "HEAD *", does: effect.MoveHead, opOf: operand(1), to: operand(1)},
	{of: "symbolic-ref", given: "d delete", does: effect.RewriteRefs, op: effect.RefDelete, to: operand(0)},
	{of: "ls-files", also: listsFiles},
	{of: "for-each-ref", given: "format=", also: printsFormat},
	{of: "status", given: "s short porcelain", also: listsStatus},
	{of: "worktree", words: "add", also: makesWorktree},
	{
		of: "worktree", words: "remove", given: "f force",
		made: &made{kind: "worktree", names: files{operand(1)}}, does: effect.Discard, op: effect.Worktree,
		to: files{operand(1)},
	},
	{of: "rm", given: "cached n"},
	{of: "rm", given: "r", with: "f force", does: effect.DeleteTree, op: effect.GitForce, to: files{operandsFrom(0)}},
	{of: "rm", given: "r", does: effect.DeleteTree, to: files{operandsFrom(0)}},
	{of: "rm", given: "f force", does: effect.DeleteFile, op: effect.GitForce, to: files{operandsFrom(0)}},
	{of: "rm", does: effect.DeleteFile, to: files{operandsFrom(0)}},
	{of: "mv", also: gitMove},
	{of: "checkout-index", given: "prefix temp"},
	{of: "checkout-index", given: "f force", with: "a all", does: effect.Discard, op: effect.RestoreAll},
	{of: "checkout-index", given: "f force", does: effect.Discard, op: effect.RestorePath, to: files{operandsFrom(0)}},
	{of: "apply", without: "check stat numstat summary cached", also: undoesDiff},
	{
		of: "submodule", words: "update", given: "f force",
		does: effect.Discard, op: effect.CheckoutForce, to: text("submodules"),
	},
	{of: "read-tree", given: "reset u", does: effect.Discard, op: effect.ReadTree},
	{of: "remote", words: "add|set-url", also: namesRemote},
	{of: "remote", words: "remove|rm", does: effect.RewriteRefs, op: effect.RemoteRemove, to: operand(1)},
	{of: "rev-parse", also: printsPlaces},
	{of: "lfs", words: "prune", does: effect.RewriteRefs, op: "lfs-prune"},
	{of: "lfs", words: "migrate", does: effect.RewriteRefs, op: "lfs-migrate"},
	{of: "send-email", does: effect.SendOut, op: "patches"},
}

// keepsWork reports what "git add" stages and what "git commit" commits.
func keepsWork(sh *shell.Shell, c shell.Command, o shell.Options) {
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
	act{kind: effect.KeepWork, op: op, to: files{operandsFrom(0)}}.report(sh, c, o)
	if len(o.Pos) == 0 && (op != effect.Stage || o.Given("A all u update")) {
		sh.Effect(effect.KeepWork, op, "")
	}
}

// runsInSubmodules runs the command of "git submodule foreach".
func runsInSubmodules(sh *shell.Shell, c shell.Command, _ shell.Options) {
	_, code := shell.Leading(lex.After(c.Args, "foreach", 1), "")
	sh.Run(strings.Join(code, " "), nil)
}

// prunesBySettings reports objects that are pruned at once because a setting says so.
func prunesBySettings(sh *shell.Shell, _ shell.Command, _ shell.Options) {
	if gitSet(sh, "gc.reflogexpire gc.pruneexpire", "now all 0") {
		sh.Effect(effect.RewriteRefs, effect.Prune, "")
	}
}

// changedFiles is a pattern for the files whose content no commit has.
const changedFiles = "./" + partial.Unknown + "/*\n"

// listsFiles prints all files of the work tree, or patterns for those whose content no commit has.
func listsFiles(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch {
	case o.Given("o others m modified"):
		printsBelow(sh, o.Pos)
	case len(o.Pos) > 0:
	case len(c.Args) == strings.Count(" "+strings.Join(c.Args, " "), " -z"):
		sh.Print("." + shell.EveryFile + "\n")
	}
}

// printsBelow prints patterns for files below paths, or for those that patterns find.
func printsBelow(sh *shell.Shell, paths []string) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		switch {
		case fspath.HasGlob(p):
			sh.Print("./" + partial.Unknown + "/" + p + "\n")
		case p == ".", strings.HasSuffix(p, "/"), !looksLikePath(p):
			sh.Print(strings.TrimSuffix(p, "/") + "/" + partial.Unknown + "/*\n")
		default:
			sh.Print(p + "\n")
		}
	}
}

// listsStatus prints how files differ from the last commit.
func listsStatus(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if len(o.Pos) == 0 {
		sh.Print("?? " + changedFiles + " M " + changedFiles)
	}
}

// makesWorktree remembers a worktree that this call makes, and reports the branch that it resets.
func makesWorktree(sh *shell.Shell, c shell.Command, _ shell.Options) {
	o := shell.ParseOptions(c.Args, "b B reason")
	if branch, ok := o.Get("B"); ok {
		sh.Effect(effect.RewriteRefs, effect.BranchReset, branch)
	}
	sh.Makes("worktree", sh.Path(o.At(1)))
}

// printsFormat prints a format with a hole for each field.
func printsFormat(sh *shell.Shell, _ shell.Command, o shell.Options) {
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
func gitMove(sh *shell.Shell, c shell.Command, o shell.Options) {
	act{kind: effect.MoveAway, to: files{allButLast}}.report(sh, c, o)
	for _, from := range o.Pos[:max(0, len(o.Pos)-1)] {
		to := o.Pos[len(o.Pos)-1]
		sh.Write(to)
		sh.Moved(from, to)
	}
}

// printsPlaces prints what "git rev-parse" says of the work tree and of the repository's folder.
func printsPlaces(sh *shell.Shell, _ shell.Command, o shell.Options) {
	top := toplevel(sh)
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
func gitFetched(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, r := range o.From(1) {
		from, to, _ := strings.Cut(r, ":")
		branch := branchOf(to)
		switch {
		case movesBase(sh, o.At(0), from, to):
		case branch == "", strings.HasPrefix(branch, "refs/"):
		case o.Given("f force"), strings.HasPrefix(r, "+"):
			sh.Effect(effect.RewriteRefs, effect.BranchForce, branch)
		}
	}
}

// updatesRefs reports the refs that lines of "verb ref value" from standard input delete or move.
func updatesRefs(sh *shell.Shell, c shell.Command, _ shell.Options) {
	if c.In == nil {
		sh.Effect(effect.RewriteRefs, effect.Base, partial.Unknown)
	}
	for _, line := range shell.SplitLines(strings.Join(stdin(c), "")) {
		verb, rest, _ := strings.Cut(line, " ")
		ref, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch {
		case partial.HasHole(verb):
			sh.Effect(effect.RewriteRefs, effect.Base, verb)
		case verb == "delete" || protected.HoldsUndo(ref):
			sh.Effect(effect.RewriteRefs, effect.RefDelete, branchOf(ref))
		case verb == "verify":
		case lex.BeginsWith(ref, "refs/remotes/ refs/replace/"):
			sh.Effect(effect.RewriteRefs, effect.Base, ref)
		case verb == "update" && strings.HasPrefix(ref, "refs/heads/"):
			sh.Effect(effect.RewriteRefs, effect.BranchForce, branchOf(ref))
		}
	}
}

// gitClone reports a clone with its settings, and one into a directory from which Afar or the host
// loads files.
func gitClone(sh *shell.Shell, _ shell.Command, o shell.Options) {
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

// makesRepository remembers a repository that "git init" makes, unless its directory is there.
func makesRepository(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.MakesTree(sh.Path(o.At(0)))
}

// toplevel returns the top of the work tree, as far as it is known.
func toplevel(sh *shell.Shell) string {
	if p := sh.Eval.Site.Project; p != "" && fspath.Within(sh.Place.Cwd, p) {
		return p
	}
	return sh.Place.Cwd
}
