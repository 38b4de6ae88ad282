package git

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// maxGitSettings limits how many settings are read from git's environment.
const maxGitSettings = 32

// gitSettings returns the settings that options and variables pass to git, as "key=value".
func gitSettings(sh *shell.Shell, o argv.Options) []string {
	out := o.All("c")
	for _, pair := range o.All("config-env") {
		key, name, _ := strings.Cut(pair, "=")
		text, ok := sh.Assigned(name)
		if !ok {
			text = partial.Unknown
		}
		out = append(out, key+"="+text)
	}
	for i := range maxGitSettings {
		key, ok := sh.Assigned("GIT_CONFIG_KEY_" + strconv.Itoa(i))
		if !ok {
			break
		}
		text, _ := sh.Assigned("GIT_CONFIG_VALUE_" + strconv.Itoa(i))
		out = append(out, key+"="+text)
	}
	packed, _ := sh.Assigned("GIT_CONFIG_PARAMETERS")
	for i, part := range strings.Split(strings.ReplaceAll(packed, "'='", "="), "'") {
		if i%2 == 1 && i < 2*maxGitSettings {
			out = append(out, part)
		}
	}
	return out
}

// gitAlias returns the command that an alias in the settings stands for, with those
// settings, or nil. words are the name of the alias and its arguments.
func gitAlias(sh *shell.Shell, settings, words []string) []string {
	if sh.Depth >= shell.MaxDepth {
		return nil
	}
	argv := []string{"git"}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "alias.") {
			argv = append(argv, "-c", setting)
		}
	}
	for _, setting := range settings {
		if code, ok := strings.CutPrefix(setting, "alias."+words[0]+"="); ok {
			return slices.Concat(argv, strings.Fields(code), words[1:])
		}
	}
	return nil
}

// gitOwn are the usual subcommands of git, which no alias replaces.
const gitOwn = Readers + " add am apply archive bisect branch bundle checkout cherry-pick clean clone commit " +
	"config fetch filter-branch for-each-ref format-patch fsck gc grep init lfs maintenance merge mergetool mv notes " +
	"prune pull push range-diff rebase reflog remote replace reset restore revert rm sparse-checkout stash submodule " +
	"switch tag update-index update-ref worktree write-tree"

// configuredAlias runs the command of an alias that the settings of the call, of the repository or of
// the person have. It returns false if they have none.
func configuredAlias(sh *shell.Shell, words []string) (found bool) {
	run := func(sh *shell.Shell, text string) {
		code, own := strings.CutPrefix(text, "!")
		if !own {
			code = "git " + code
		}
		sh.Run(recipes.WithArguments(code, words[1:]), nil)
	}
	if text, ok := sh.Files["git alias."+words[0]]; ok { // of this call
		run(sh.Sub(), text)
		return true
	}
	path, _ := recipes.Nearest(sh, ".git/config")
	for _, path := range [...]string{path, "~/.gitconfig", "~/.config/git/config"} {
		recipes.RunFile(sh, path, words[1:], func(child *shell.Shell, text string) {
			for _, s := range readGitSettings(text) {
				if found || s.Section != "alias" || s.Key != words[0] {
					continue
				}
				found = true
				child.AtLine(s.Lines[0].Line)
				run(child, recipes.Unquoted(s.Text()))
			}
		})
	}
	return found
}

// gitSetting stores a setting for the subcommand, and runs its value if git would run it.
func gitSetting(sh *shell.Shell, setting string) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	sh.Assign("git "+key, expand.Value{strings.ToLower(text)})
	code, runs := strings.CutPrefix(text, "!")
	switch {
	case text == "", text == "/dev/null":
	case runs:
		sh.Run(code, nil)
	case key == "core.hookspath":
		sh.Effect(effect.GitSettings, "", key)
	case gitRuns(key) && strings.ContainsAny(text, " ;|&$"):
		sh.Run(text, nil)
	}
}

// gitSet reports whether one of the settings has one of these values in this command.
func gitSet(sh *shell.Shell, keys, values string) bool {
	for key := range strings.FieldsSeq(keys) {
		if v, _ := sh.Lookup("git " + key); lex.OneOf(lex.First(v), values) {
			return true
		}
	}
	return false
}

// gitRuns reports whether git passes the value of a setting to a shell.
func gitRuns(key string) bool {
	const commands = "core.alternaterefscommand core.askpass core.editor core.fsmonitor core.gitproxy core.pager" +
		" core.sshcommand diff.external interactive.difffilter sendemail.cccmd sendemail.sendmailcmd sendemail.tocmd" +
		" sequence.editor uploadpack.packobjectshook"
	return lex.OneOf(key, commands) || lex.BeginsWith(key, "filter. pager. mergetool.") ||
		lex.EndsWith(key, ".textconv .cmd .driver .command .program .helper .uploadpack .receivepack")
}

// gitTransports runs the commands of addresses that begin with "ext::", and reports keys that
// an address brings to another host.
func gitTransports(sh *shell.Shell, args []string) {
	for _, a := range args {
		if strings.Contains(a, "://") && web.LeaksKey(a, a, true) {
			sh.Possible(effect.SendOut, effect.Secret, a)
		}
		if code, ok := strings.CutPrefix(a, "ext::"); ok {
			sh.Run(strings.ReplaceAll(code, "% ", `\ `), nil)
		}
	}
}

// rememberClone remembers the directory into which a clone copies a remote repository.
func rememberClone(sh *shell.Shell, url, dir string) {
	if !namesHost(url) {
		return
	}
	if dir == "" {
		dir = strings.TrimSuffix(fspath.Base(strings.TrimSuffix(url, "/")), ".git")
	}
	sh.Fetches(sh.Path(dir))
	sh.MakesTree(sh.Path(dir))
}

// forges are the programs that copy a repository of a forge by its name.
const forges = "degit tiged giget"

// ReportBrought remembers what a client of a forge or a store copies from there:
// "gh repo clone", "aws s3 cp s3://…".
func ReportBrought(sh *shell.Shell, c shell.Command) {
	verb, rest := "clone", c.Args
	if !lex.OneOf(c.Name, forges) {
		brings := func(arg string) bool {
			return lex.OneOf(arg, "checkout clone co copy copyto cp download export sync")
		}
		i := slices.IndexFunc(rest[:min(len(rest), 6)], brings)
		if i < 0 {
			return
		}
		verb, rest = rest[i], rest[i+1:]
	}
	o := argv.ParseOptions(rest, "")
	from, to := o.At(0), o.At(1)
	switch {
	case from == "":
	case lex.OneOf(verb, "co checkout export"):
		if c.Name == "svn" {
			o = argv.ParseOptions(rest, "r")
			rememberClone(sh, o.At(0), o.At(1))
		}
	case verb != "clone":
		if strings.Contains(from, "://") && to != "" {
			sh.BringsFrom(strings.Replace(from, "://", ":", 1), to)
			overwritesWith(sh, o)
		}
	case lex.OneOf(c.Name, forges+" gh glab hub"):
		rememberClone(sh, "https://"+from, to)
	case lex.OneOf(c.Name, "hg jj fossil bzr"):
		rememberClone(sh, from, to)
	}
}

// overwritesWith reports the file of this machine that a copy from a store overwrites.
func overwritesWith(sh *shell.Shell, o argv.Options) {
	from, to := o.At(0), o.At(1)
	switch {
	case strings.Contains(to, ":"), to == "-", !fspath.IsExact(from):
	case !o.Given("n no-clobber no-overwrite ignore-existing r R recursive dryrun"):
		sh.Arrives(from, to)
	}
}

// A gitHook row lists the hooks that subcommands of git run. With --no-verify git leaves out those that
// may refuse a subcommand.
type gitHook struct{ verbs, refusing, others string }

var gitHooks = []gitHook{
	{verbs: "commit", refusing: "pre-commit commit-msg", others: "prepare-commit-msg post-commit"},
	{verbs: "push", refusing: "pre-push"},
	{verbs: "merge", refusing: "pre-merge-commit commit-msg", others: "post-merge"},
	{verbs: "pull", others: "post-merge"},
	{verbs: "checkout switch worktree", others: "post-checkout"},
	{verbs: "rebase", refusing: "pre-rebase", others: "post-checkout post-rewrite"},
	{verbs: "am", refusing: "applypatch-msg pre-applypatch", others: "post-applypatch"},
	{verbs: "cherry-pick revert", others: "prepare-commit-msg post-commit"},
}

// runGitHooks runs the hooks of the repository that a subcommand runs.
func runGitHooks(sh *shell.Shell, verb string, args []string) {
	at := slices.IndexFunc(gitHooks, func(h gitHook) bool { return lex.OneOf(verb, h.verbs) })
	if at < 0 || sh.Eval.Site.FileText == nil || sh.Place.Away != "" {
		return
	}
	child := sh.Sub()
	top, hooks := hooksFolder(child)
	if hooks == "" {
		return
	}
	names := gitHooks[at].others
	if !unverified(verb, args) {
		names += " " + gitHooks[at].refusing
	}
	child.Place.Cwd = top
	for name := range strings.FieldsSeq(names) {
		child.Via = "git"
		if !child.ScriptFile(hooks+"/"+name, nil) { // a hook that this call wrote
			child.RunProgram(hooks+"/"+name, nil, nil)
		}
		if above, ok := strings.CutSuffix(hooks, "/_"); ok { // husky
			child.RunProgram(above+"/"+name, nil, nil)
		}
	}
}

// unverified reports whether git leaves out the hooks that may refuse a subcommand.
func unverified(verb string, args []string) bool {
	o := argv.ParseOptions(args, "m F C c t author date message file template o push-option -no-verify")
	return o.Given("no-verify") || verb == "commit" && o.Given("n")
}

// hooksFolder returns the top directory of the work tree, and the folder of its hooks:
// the one that a setting names, or the one in the repository.
func hooksFolder(sh *shell.Shell) (top, hooks string) {
	top, git := repositoryOf(sh)
	if dir, ok := sh.Assigned(hooksSetting); ok {
		return cmp.Or(top, sh.Place.Cwd), dir
	}
	if git == "" || slices.Contains(sh.Eval.Fetched, top) { // a clone brings no hooks
		return "", ""
	}
	for _, file := range []string{git + "/config", "~/.gitconfig", "~/.config/git/config"} {
		text, _ := sh.FileText(file)
		for _, s := range readGitSettings(text) {
			if strings.EqualFold(s.Section+"."+s.Key, "core.hookspath") && len(s.Lines) > 0 {
				sh.Place.Cwd = top
				return top, sh.Path(recipes.Unquoted(s.Text()))
			}
		}
	}
	return top, git + "/hooks"
}

// hooksSetting is where the folder of hooks is remembered that a command gives to git.
const hooksSetting = "git core.hookspath"

// readableHooks remembers the folder of hooks that a setting of one command gives to git, if it
// is in the project: then the hooks are read instead.
func readableHooks(sh *shell.Shell, setting string) bool {
	key, dir, _ := strings.Cut(setting, "=")
	project := sh.Eval.Site.Project
	switch {
	case !strings.EqualFold(key, "core.hookspath"), dir == "", partial.HasHole(dir), sh.Eval.Site.FileText == nil:
		return false
	case project == "", !fspath.Within(sh.Path(dir), project):
		return false
	}
	sh.Assign(hooksSetting, expand.Value{sh.Path(dir)})
	return true
}

// repositoryOf returns the top directory of the work tree around the shell, and the
// folder of its repository, "" if there is none in the project.
func repositoryOf(sh *shell.Shell) (top, git string) {
	path, ok := recipes.Nearest(sh, ".git/HEAD .git/config .git")
	if !ok {
		return "", ""
	}
	if fspath.Base(path) != ".git" {
		git = fspath.Dir(path)
		return fspath.Dir(git), git
	}
	top = fspath.Dir(path)
	text, _ := sh.FileText(path) // of a linked work tree
	link, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	if !ok {
		return "", ""
	}
	git = fspath.Join(top, link)
	if common, ok := sh.FileText(git + "/commondir"); ok {
		git = fspath.Join(git, strings.TrimSpace(common))
	}
	return top, git
}

// readGitSettings reads a file of git's settings, in which the keys are indented.
func readGitSettings(text string) []recipes.Setting {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return recipes.ReadSettings(strings.Join(lines, "\n"))
}

// HistoryTables are the programs that keep the history of files, git excepted.
var HistoryTables = []rows.Table{
	// Mercurial keeps backups: reverted files as .orig, and stripped changesets as a
	// bundle. The rows list only the commands that keep no backup.
	{
		Programs: "hg chg", Dry: "n dry-run",
		Options: "R repository cwd config r rev d date t tool I include X exclude m message b base name n",
		Rows: []rows.Row{
			{
				Words: "update|up|checkout|co|goto",
				Given: "C clean",
				Does:  effect.Discard, Op: effect.CheckoutForce,
			},
			{
				Words: "revert", Given: "no-backup C", With: "a all",
				Does: effect.Discard, Op: effect.RestoreAll, To: rows.Paths{rows.Text(".")},
			},
			{
				Words: "revert", Given: "no-backup C", Does: effect.Discard, Op: effect.RestorePath,
				To: rows.Pathspecs{rows.OperandsFrom(1)},
			},
			{Words: "purge|clean", Given: "p print"},
			{Words: "purge|clean", Among: ".", Does: effect.Discard, Op: effect.CleanAll, To: rows.OperandsFrom(1)},
			{Words: "purge|clean *", Does: effect.Discard, Op: effect.CleanPath, To: rows.OperandsFrom(1)},
			{Words: "purge|clean", Does: effect.Discard, Op: effect.CleanAll},
			{Words: "strip", Given: "no-backup nobackup", Does: effect.RewriteRefs, Op: effect.Reflog},
			{Words: "strip", Does: effect.RewriteRefs, Op: "strip", To: rows.Operand(1)},
			{Words: "shelve", Given: "cleanup", GoOn: true, Does: effect.Discard, Op: effect.StashClear},
			{Words: "shelve", Given: "d delete", Does: effect.Discard, Op: effect.StashDrop},
		},
	},
	// Subversion keeps no copy of reverted files. A deletion by URL affects
	// everybody.
	{
		Programs: "svn",
		Options:  "r revision m message F file username password depth config-dir config-option changelist cl",
		Rows: []rows.Row{
			{Words: "revert", Does: effect.Discard, Op: effect.RestorePath, To: rows.Pathspecs{rows.OperandsFrom(1)}},
			{Words: "cleanup", Given: "remove-unversioned", GoOn: true, Does: effect.Discard, Op: effect.CleanAll},
			{Words: "cleanup", Given: "remove-ignored", Does: effect.Discard, Op: effect.CleanIgnored},
			{Words: "delete|del|remove|rm", Also: reportVersionedDeletion},
		},
	},
	// Jujutsu keeps each state of the working copy and of the refs in its operation
	// log, and `jj undo` restores it. The rows list only the commands that drop
	// entries from that log or that others see.
	{
		Programs: "jj",
		Options: "R r m b d A B c t f repository revision revisions message bookmark remote to from into destination " +
			"onto config config-file expire at-op change named color",
		Rows: []rows.Row{
			{Words: "git push", Given: "deleted", Without: "dry-run", Does: effect.PushDelete, Op: effect.Branch},
			{
				Words: "git remote remove|rm", Does: effect.RewriteRefs, Op: effect.RemoteRemove,
				To: rows.OperandsFrom(3),
			},
			{
				Words: "bookmark|branch|b delete|d|forget|f",
				Does:  effect.RewriteRefs, Op: effect.BranchDelete, To: rows.Each{rows.OperandsFrom(2)},
			},
			{Words: "op|operation abandon", Does: effect.RewriteRefs, Op: effect.Reflog},
			{Words: "util gc", Given: "expire=now", Does: effect.RewriteRefs, Op: effect.Prune},
			{Words: "util exec", Runs: &rows.Start{Words: rows.After("--")}},
		},
	},
	{Programs: "bfg", Rows: []rows.Row{{Does: effect.RewriteRefs, Op: effect.Filter}}},
}

// reportVersionedDeletion reports forced deletions here, and deletions by URL, which affect everybody.
func reportVersionedDeletion(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, target := range o.From(1) {
		switch {
		case strings.Contains(target, "://"), strings.HasPrefix(target, "^/"):
			sh.Effect(effect.DestroyRemote, effect.Part, target)
		case o.Given("force"):
			sh.Effect(effect.DeleteTree, effect.GitForce, sh.Path(target))
		}
	}
}

// runYAML runs the commands in a file of YAML. code returns the command of a text, "" if it is none.
func runYAML(sh *shell.Shell, files string, code func(y recipes.YAMLText) string) {
	path, _ := recipes.Nearest(sh, files)
	recipes.RunTasks(sh, path, nil, func(child *shell.Shell, text string) {
		for _, y := range recipes.ReadYAML(text) {
			recipes.Line{Code: code(y), Line: y.Line}.Run(child)
		}
	})
}

// RunPreCommit runs the commands of the hooks of pre-commit, or those of one hook.
func RunPreCommit(sh *shell.Shell, _ shell.Command, o argv.Options) {
	hook := ""
	runYAML(sh, ".pre-commit-config.yaml .pre-commit-config.yml", func(y recipes.YAMLText) string {
		switch k := y.Keys; {
		case len(k) < 5, k[2] != "hooks":
		case k[4] == "id":
			hook = y.Text
		case k[4] != "entry":
		case o.At(0) == "hook-impl", o.At(1) == "", o.At(1) == hook:
			return y.Text
		}
		return ""
	})
}

// RunLefthook runs the commands of a hook of lefthook.
func RunLefthook(sh *shell.Shell, _ shell.Command, o argv.Options) {
	runYAML(sh, "lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml", func(y recipes.YAMLText) string {
		if lex.First(y.Keys) != o.At(1) || y.Keys[len(y.Keys)-1] != "run" {
			return ""
		}
		return y.Text
	})
}

// RunProcfile runs the commands of a Procfile, or one of them.
func RunProcfile(sh *shell.Shell, _ shell.Command, o argv.Options) {
	runYAML(sh, "Procfile.dev Procfile", func(y recipes.YAMLText) string {
		if len(y.Keys) != 1 || cmp.Or(o.At(1), y.Keys[0]) != y.Keys[0] {
			return ""
		}
		return y.Text
	})
}
