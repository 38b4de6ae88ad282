package understand

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// gitProgram reads git's global options and then runs the subcommand.
func gitProgram(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(gitWords(c.Args), gitOptions)
	child := sh.Sub()
	for _, dir := range o.All("C") {
		child.Place.Cwd = child.Path(dir)
	}
	if dir, ok := o.Get("work-tree"); ok {
		child.Place.Cwd = child.Path(dir)
	}
	for _, setting := range append(o.All("c"), gitEnvironment(sh)...) {
		gitSetting(child, setting)
		if code, ok := gitAlias(child, setting, rest); ok {
			child.Exec(code, c.In)
			return
		}
	}
	if len(rest) == 0 || o.Given("help version") || slices.Contains(rest, "--help") {
		return
	}
	verb, args := strings.ToLower(rest[0]), rest[1:]
	if overwritesOwn(child, verb, args) {
		child.Effect(effect.WriteFile, "", child.Place.Cwd)
	}
	for i := range gitVerbs {
		if gitVerbs[i].name == verb {
			gitVerbs[i].do(child, args)
			return
		}
	}
	gitOther(child, verb, args, c)
}

// gitVerbs are the subcommands that have a function of their own.
var gitVerbs = []struct {
	name string
	do   func(*shell.Shell, []string)
}{
	{"push", gitPush},
	{"reset", gitReset},
	{"checkout", gitCheckout},
	{"switch", gitSwitch},
	{"restore", gitRestore},
	{"clean", gitClean},
	{"stash", gitStash},
	{"branch", gitBranch},
	{"tag", gitTag},
	{"config", gitConfig},
}

// gitAlias stores a setting for the subcommand. If the setting defines the first
// word of rest as an alias, it returns the command that rest then runs.
func gitAlias(sh *shell.Shell, setting string, rest []string) ([]string, bool) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	sh.Assign("git "+key, shell.Value{strings.ToLower(text)})
	if key == "core.hookspath" && !lex.OneOf(text, "/dev/null") && text != "" {
		sh.Effect(effect.GitSettings, "", key)
	}
	if len(rest) == 0 || sh.Depth >= shell.MaxDepth {
		return nil, false
	}
	code, ok := strings.CutPrefix(setting, "alias."+rest[0]+"=")
	argv := append([]string{"git"}, strings.Fields(code)...)
	return append(argv, rest[1:]...), ok
}

// overwritesOwn reports whether a subcommand changes files of a repository that
// holds Afar's own files.
func overwritesOwn(sh *shell.Shell, verb string, args []string) bool {
	const writing = "checkout switch restore reset stash pull merge rebase apply am cherry-pick revert clean rm mv"
	return lex.OneOf(verb, writing) && sh.IsOwn(sh.Place.Cwd) && !lex.ContainsAny(args, "list show")
}

// gitOptions are git's global options that take the next word as their value.
const gitOptions = "C c git-dir work-tree namespace super-prefix config-env exec-path attr-source"

// gitWords splits an option with an attached setting, such as -ckey=value, in two.
func gitWords(args []string) []string {
	var out []string
	value := false // the word is the value of the previous option
	for i, a := range args {
		setting, attached := strings.CutPrefix(a, "-c")
		switch {
		case value:
			out, value = append(out, a), false
		case !strings.HasPrefix(a, "-"):
			return append(out, args[i:]...)
		case attached && setting != "":
			out = append(out, "-c", setting)
		default:
			out, value = append(out, a), shell.NeedsNext(a, gitOptions)
		}
	}
	return out
}

// maxGitSettings limits how many settings are read from git's environment.
const maxGitSettings = 32

// gitEnvironment returns the settings that the command passes to git in variables.
func gitEnvironment(sh *shell.Shell) []string {
	var out []string
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

// gitSetting runs the value of a setting if git would run it as a command.
func gitSetting(sh *shell.Shell, setting string) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	if code, ok := strings.CutPrefix(text, "!"); ok {
		sh.Run(code, nil)
		return
	}
	if gitRuns(key) && text != "" && strings.ContainsAny(text, " ;|&$") {
		sh.Run(text, nil)
	}
}

// gitSet reports whether -c gives a setting one of these values.
func gitSet(sh *shell.Shell, key, values string) bool {
	v, ok := sh.Lookup("git " + key)
	return ok && lex.OneOf(lex.First(v), values)
}

// gitRuns reports whether git passes the value of a setting to a shell.
func gitRuns(key string) bool {
	return lex.OneOf(key, "core.sshcommand core.fsmonitor core.pager core.editor diff.external sequence.editor "+
		"core.askpass credential.helper gpg.program") ||
		lex.BeginsWith(key, "filter. pager. mergetool.") ||
		strings.HasSuffix(key, ".textconv")
}

func gitPush(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "o repo receive-pack exec push-option")
	if o.Has("n", "dry-run") {
		return
	}
	force := o.Has("f", "force")
	lease := o.Exact("force-with-lease", "force-if-includes")
	refs := o.Pos
	if len(refs) > 0 {
		refs = refs[1:]
	}
	if o.Has("mirror") {
		sh.Effect(effect.PushForce, effect.Mirror, "")
		return
	}
	if o.Exact("d", "delete") {
		for _, r := range refs {
			sh.Effect(effect.PushDelete, refKind(r), branchOf(r))
		}
		return
	}
	if o.Has("prune") {
		sh.Effect(effect.PushDelete, effect.Prune, "")
	}
	gitRefspecs(sh, refs, force, lease, o)
}

func gitRefspecs(sh *shell.Shell, refs []string, force, lease bool, o shell.Options) {
	for _, r := range refs {
		plus := strings.HasPrefix(r, "+")
		r = strings.TrimPrefix(r, "+")
		from, to, pair := strings.Cut(r, ":")
		if !pair {
			to = from
		}
		switch {
		case pair && from == "" && to != "":
			sh.Effect(effect.PushDelete, refKind(to), branchOf(to))
		case force || plus:
			sh.Effect(effect.PushForce, effect.Force, branchOf(to))
		case lease:
			sh.Effect(effect.PushForce, effect.Lease, branchOf(to))
		}
	}
	if len(refs) > 0 && !(force && o.Exact("tags")) {
		return
	}
	switch {
	case o.Has("all", "branches") && (force || lease):
		sh.Effect(effect.PushForce, effect.Everything, "")
	case force && o.Exact("tags"):
		sh.Effect(effect.PushForce, effect.Tags, "tags")
	case force:
		sh.Effect(effect.PushForce, effect.Force, "")
	case lease:
		sh.Effect(effect.PushForce, effect.Lease, "")
	}
}

// branchOf returns the short name of a ref. HEAD and @ mean the current branch.
func branchOf(ref string) string {
	ref = strings.TrimPrefix(ref, "refs/heads/")
	ref = strings.TrimPrefix(ref, "heads/")
	if lex.OneOf(ref, "HEAD @") {
		return ""
	}
	return ref
}

func refKind(ref string) effect.Op {
	if lex.BeginsWith(ref, "refs/tags/ tags/") {
		return effect.Tag
	}
	return effect.Branch
}

func gitReset(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "")
	hard := o.Has("hard") || o.Exact("ha") // git accepts the shortest unique abbreviation
	switch {
	case hard && o.At(0) != "" && !lex.OneOf(o.At(0), "HEAD @"):
		sh.Effect(effect.Discard, effect.ResetHardTo, "")
	case hard:
		sh.Effect(effect.Discard, effect.ResetHard, "")
	case o.Has("merge"):
		sh.Effect(effect.Discard, effect.ResetMerge, "")
	}
}

func gitCheckout(sh *shell.Shell, args []string) {
	before, after, dashes := cutDashes(args)
	o := shell.ParseOptions(before, "b B U orphan conflict unified inter-hunk-context pathspec-from-file")
	if o.Exact("f", "force") {
		sh.Effect(effect.Discard, effect.CheckoutForce, "")
		return
	}
	if _, ok := o.Get("pathspec-from-file"); ok {
		sh.Effect(effect.Discard, effect.RestorePath, "")
		return
	}
	if o.Has("patch", "p") {
		return
	}
	if o.Has("ours", "theirs") {
		gitTakesSide(sh, append(o.Pos, after...))
		return
	}
	if name, moved := o.Get("B"); moved {
		sh.Effect(effect.RewriteRefs, effect.BranchReset, branchOf(name))
	}
	if dashes {
		reportDiscards(sh, after)
		return
	}
	if o.Exact("b", "B", "orphan", "t", "track", "detach") {
		return
	}
	switch {
	case len(o.Pos) > 1 && !o.Exact("recurse-submodules", "conflict"), len(o.Pos) > 2:
		reportDiscards(sh, o.Pos[1:])
	case len(o.Pos) == 2 && looksLikePath(o.Pos[1]):
		reportDiscards(sh, o.Pos[1:])
	case len(o.Pos) == 1 && looksLikePath(o.Pos[0]):
		reportDiscards(sh, o.Pos)
	}
}

// gitTakesSide reports a checkout that takes one side of conflicting files. It also
// reportDiscards the changes to every other file that the pathspec matches, so only
// pathspecs for the whole tree are reported.
func gitTakesSide(sh *shell.Shell, paths []string) {
	for _, p := range paths {
		if wholeTree(sh, p) {
			sh.Effect(effect.Discard, effect.RestorePath, sh.Path(p))
		}
	}
}

// cutDashes splits arguments at the first "--".
func cutDashes(args []string) (before, after []string, found bool) {
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:], true
		}
	}
	return args, nil, false
}

// looksLikePath reports whether a word is a pathspec rather than a branch. Git would
// look at the disk. This function looks for dots, globs, a trailing slash or a short
// alphabetic extension.
func looksLikePath(s string) bool {
	if lex.OneOf(s, ". ..") || lex.BeginsWith(s, "./ ../ / :") || fspath.HasGlob(s) || strings.HasSuffix(s, "/") {
		return true
	}
	i := strings.LastIndexByte(s, '.')
	if strings.HasSuffix(s, ".x") { // a version branch such as 1.x
		return false
	}
	if i < 0 || len(s)-i > 6 || i+1 == len(s) {
		return false
	}
	for _, r := range s[i+1:] {
		if r > 0x7f || !lex.IsLetter(byte(r)) {
			return false
		}
	}
	return true
}

// reportDiscards reports pathspecs whose changes in the work tree are lost.
func reportDiscards(sh *shell.Shell, paths []string) {
	for _, p := range paths {
		op := effect.RestorePath
		if wholeTree(sh, p) {
			op = effect.RestoreAll
		}
		sh.Effect(effect.Discard, op, sh.Path(p))
	}
}

// wholeTree reports whether a pathspec matches all files.
func wholeTree(sh *shell.Shell, p string) bool {
	return lex.OneOf(p, ". ./ :/ :/* * ./* :(top) **") || partial.HasHole(p) && strings.Trim(p, partial.Holes) == "" ||
		sh.Path(p) == sh.Place.Cwd ||
		sh.Path(p) == toplevel(sh)
}

func gitSwitch(sh *shell.Shell, args []string) {
	before, _, _ := cutDashes(args)
	o := shell.ParseOptions(before, "c C create force-create conflict orphan")
	if o.Short('f') || o.Has("force", "discard-changes") && !o.Exact("force-create") {
		sh.Effect(effect.Discard, effect.SwitchForce, "")
	}
	if name, moved := o.Get("C", "force-create"); moved {
		sh.Effect(effect.RewriteRefs, effect.BranchReset, branchOf(name))
	}
}

func gitRestore(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "s source conflict pathspec-from-file")
	staged := o.Has("S", "staged")
	worktree := o.Has("W", "worktree")
	if staged && !worktree || o.Has("p", "patch") {
		return
	}
	if o.Has("ours", "theirs") {
		gitTakesSide(sh, o.Pos)
		return
	}
	if _, ok := o.Get("pathspec-from-file"); ok {
		sh.Effect(effect.Discard, effect.RestorePath, "")
	}
	reportDiscards(sh, o.Pos)
}

func gitClean(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "e exclude")
	if o.Has("n", "dry-run", "i", "interactive") {
		return
	}
	if !o.Short('f') && !o.Has("force") && !gitSet(sh, "clean.requireforce", "false 0 no off") {
		return
	}
	op := effect.Clean
	switch {
	case o.Short('X'), o.Short('x') && len(o.Pos) > 0 && !slices.Contains(o.Pos, "."):
		op = effect.CleanIgnored
	case len(o.Pos) > 0 && !slices.Contains(o.Pos, "."):
		op = effect.CleanPath
	case o.Short('x'):
		op = effect.CleanAll
	}
	sh.Effect(effect.Discard, op, strings.Join(o.Pos, " "))
}

func gitStash(sh *shell.Shell, args []string) {
	if len(args) == 0 {
		return
	}
	showsCommitted(sh, "stash", args, shell.ParseOptions(args, ""))
	switch args[0] {
	case "clear":
		sh.Effect(effect.Discard, effect.StashClear, "")
	case "drop":
		sh.Effect(effect.Discard, effect.StashDrop, "")
	}
}

func gitBranch(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "u set-upstream-to sort format contains")
	switch {
	case o.Exact("r", "remotes"):
	case o.Short('D'), (o.Has("d", "delete")) && (o.Has("f", "force")):
		for _, b := range o.Pos {
			sh.Effect(effect.RewriteRefs, effect.BranchDeleteForce, b)
		}
	case o.Has("d", "delete"):
		for _, b := range o.Pos {
			sh.Effect(effect.RewriteRefs, effect.BranchDelete, b)
		}
	case o.Short('M'), o.Exact("f", "force"):
		sh.Effect(effect.RewriteRefs, effect.BranchForce, o.At(0))
	}
}

func gitTag(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "m F u message file sort format")
	if o.Has("d", "delete") {
		sh.Effect(effect.RewriteRefs, effect.TagDelete, strings.Join(o.Pos, " "))
	}
}

func gitConfig(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "f file blob type default comment value")
	pos, asks, sets := configRequest(o)
	switch {
	case asks && len(pos) > 0 && gitSecret(pos[0]):
		showsKey(sh, "git setting", pos[0])
	case sets && len(pos) > 1:
		gitSetting(sh, pos[0]+"="+pos[1])
		if key := strings.ToLower(pos[0]); changesFutureRuns(key, pos[1]) {
			sh.Effect(effect.GitSettings, "", key)
		}
	}
}

// configRequest returns the key and value of "git config", and whether the command
// asks for the value or sets it.
func configRequest(o shell.Options) (pos []string, asks, sets bool) {
	listed := o.Given("list unset unset-all")
	switch verb := o.At(0); verb {
	case "set":
		return o.Pos[1:], false, !listed
	case "get":
		return o.Pos[1:], true, false
	case "list", "unset", "edit":
		return nil, false, false
	}
	asks = o.Given("get get-all get-urlmatch get-regexp") || len(o.Pos) == 1 && !o.Given("unset unset-all")
	return o.Pos, asks, !asks && !listed
}

// changesFutureRuns reports whether a setting makes git run or fetch something else from now
// on.
func changesFutureRuns(key, text string) bool {
	switch {
	case lex.OneOf(key, "core.hookspath core.sshcommand core.fsmonitor init.templatedir include.path"):
		return true
	case strings.HasPrefix(key, "url."), strings.HasPrefix(text, "!"):
		return true
	case strings.HasPrefix(key, "filter."):
		return text != "" && !strings.HasPrefix(text, "git-lfs ")
	}
	return key == "credential.helper" && strings.Contains(text, "store")
}

// gitSecret reports whether a setting holds a credential.
func gitSecret(key string) bool {
	name := strings.ToLower(key[strings.LastIndexByte(key, '.')+1:])
	return strings.HasSuffix(name, "extraheader") || name == "smtppass" || protected.SecretName(name)
}

// gitOther reports the effects of the subcommands that gitRows describe.
func gitOther(sh *shell.Shell, verb string, args []string, c shell.Command) {
	o := shell.ParseOptions(args, "x exec m message extcmd upload-pack receive-pack c config S G author since "+
		"until grep format pretty")
	showsCommitted(sh, verb, args, o)
	gitPrograms(sh, verb, args, o)
	runRows(sh, gitRows, o.Pos, shell.Command{Name: verb, Args: args, In: c.In}, o)
}

// gitRows describe subcommands of git. The program of a row is the subcommand.
var gitRows = []row{
	{of: "merge cherry-pick revert am rebase", given: "abort skip", also: givesUp},
	{of: "add stage commit", without: "n dry-run", also: stagesSecrets},
	{of: "rebase", also: gitRebase},
	{of: "fetch", also: gitFetched},
	{of: "pull", given: "rebase=false", without: "r", also: gitFetched},
	{of: "pull", given: "r rebase", kind: effect.RewriteRefs, op: effect.Rebase, also: gitFetched},
	{of: "pull", also: gitFetched},
	{of: "bisect", first: "run", also: runsBisected},
	{of: "submodule", words: "foreach", also: runsInSubmodules},
	{of: "submodule", words: "deinit", long: "f force", kind: effect.Discard, op: effect.Worktree},
	{of: "filter-branch", kind: effect.RewriteRefs, op: effect.Filter, also: runsFilters},
	{of: "filter-repo", kind: effect.RewriteRefs, op: effect.Filter},
	{of: "reflog", words: "delete", kind: effect.RewriteRefs, op: effect.Reflog},
	{
		of:      "reflog",
		words:   "expire",
		without: "n",
		given:   "expire=now expire=all expire=0 expire-unreachable=now expire-unreachable=all expire-unreachable=0",
		kind:    effect.RewriteRefs,
		op:      effect.Reflog,
	},
	{of: "gc prune", given: "prune=now prune=all", kind: effect.RewriteRefs, op: effect.Prune},
	{of: "prune", without: "n", kind: effect.RewriteRefs, op: effect.Prune},
	{of: "gc prune", also: prunesBySettings},
	{of: "update-ref", also: gitUpdateRef},
	{of: "symbolic-ref", long: "d delete", also: deletesRef},
	{of: "ls-files", also: listsFiles},
	{of: "worktree", words: "remove", long: "f force", also: removesWorktree},
	{of: "rm", long: "cached"},
	{of: "rm", given: "n"},
	{of: "rm", also: gitRemove},
	{of: "mv", also: gitMove},
	{of: "checkout-index", given: "f", kind: effect.Discard, op: effect.RestoreAll},
	{of: "read-tree", long: "reset u", kind: effect.Discard, op: effect.ReadTree},
	{of: "remote", words: "remove|rm", kind: effect.RewriteRefs, op: effect.RemoteRemove, target: "$1"},
	{of: "rev-parse", given: "show-toplevel", also: printsTop},
	{of: "lfs", words: "prune", kind: effect.RewriteRefs, op: effect.LFSPrune},
	{of: "lfs", words: "migrate", kind: effect.RewriteRefs, op: effect.LFSMigrate},
	{of: "send-email", kind: effect.SendOut, op: effect.Patches},
}

// givesUp reports the end of a merge, a rebase or a similar operation that discards
// the conflicts resolved so far.
func givesUp(sh *shell.Shell, c shell.Command, o shell.Options) {
	if c.Name == "rebase" {
		runsEach(sh, o.All("x", "exec"))
	}
	sh.Effect(effect.Discard, effect.GiveUp, "")
}

// runsEach runs commands that git passes to a shell.
func runsEach(sh *shell.Shell, commands []string) {
	for _, code := range commands {
		sh.Run(code, nil)
	}
}

// runsBisected runs the command of "git bisect run".
func runsBisected(sh *shell.Shell, c shell.Command, _ shell.Options) { sh.Exec(c.Args[1:], nil) }

// runsInSubmodules runs the command of "git submodule foreach".
func runsInSubmodules(sh *shell.Shell, c shell.Command, _ shell.Options) {
	_, code := shell.Leading(c.Args[1:], "")
	if c.Args[0] == "foreach" && len(code) > 0 {
		sh.Run(strings.Join(code, " "), nil)
	}
}

// runsFilters runs the commands that rewrite each commit.
func runsFilters(sh *shell.Shell, c shell.Command, _ shell.Options) {
	const filters = "tree-filter index-filter msg-filter env-filter parent-filter commit-filter tag-name-filter"
	for _, f := range shell.ParseOptions(c.Args, filters).Flags {
		if strings.HasSuffix(f.Name, "-filter") {
			sh.Run(f.Value, nil)
		}
	}
}

// prunesBySettings reports objects that are pruned at once because of a setting.
func prunesBySettings(sh *shell.Shell, _ shell.Command, _ shell.Options) {
	if gitSet(sh, "gc.reflogexpire", "now all 0") || gitSet(sh, "gc.pruneexpire", "now all") {
		sh.Effect(effect.RewriteRefs, effect.Prune, "")
	}
}

// deletesRef reports a symbolic ref that is deleted.
func deletesRef(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Effect(effect.RewriteRefs, effect.RefDelete, branchOf(o.At(0)))
}

// listsFiles prints all files of the work tree, unless an argument narrows the list.
func listsFiles(sh *shell.Shell, c shell.Command, o shell.Options) {
	if len(o.Pos) == 0 && len(c.Args) == strings.Count(" "+strings.Join(c.Args, " "), " -z") {
		sh.Print("." + shell.EveryFile + "\n")
	}
}

// removesWorktree reports a worktree that is removed together with its changes.
func removesWorktree(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Effect(effect.Discard, effect.Worktree, sh.Path(o.At(1)))
}

// gitMove reports files that are moved.
func gitMove(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for i, p := range o.Pos {
		if i < len(o.Pos)-1 {
			sh.Effect(effect.MoveAway, "", sh.Path(p))
		} else {
			sh.Write(p)
		}
	}
}

// printsTop prints the top of the work tree.
func printsTop(sh *shell.Shell, _ shell.Command, _ shell.Options) { sh.Print(toplevel(sh) + "\n") }

// gitFetched reports local branches that a forced refspec overwrites with those of
// the remote. Remote-tracking refs are ignored, because they only mirror the remote.
func gitFetched(sh *shell.Shell, _ shell.Command, o shell.Options) {
	force := o.Exact("f", "force")
	if o.Exact("dry-run") || len(o.Pos) < 2 {
		return
	}
	for _, r := range o.Pos[1:] {
		plus := strings.HasPrefix(r, "+")
		_, to, _ := strings.Cut(r, ":")
		if to == "" || strings.HasPrefix(to, "refs/") && !strings.HasPrefix(to, "refs/heads/") {
			continue
		}
		if force || plus {
			sh.Effect(effect.RewriteRefs, effect.BranchForce, branchOf(to))
		}
	}
}

// gitRebase reports a rebase. The old commits stay in the reflog, and a snapshot
// keeps them by name.
func gitRebase(sh *shell.Shell, _ shell.Command, o shell.Options) {
	runsEach(sh, o.All("x", "exec"))
	if !o.Given("continue quit edit-todo show-current-patch") {
		sh.Effect(effect.RewriteRefs, effect.Rebase, "")
	}
}

// gitUpdateRef reports changes to branches. It reads "ref value" from the operands,
// or lines of "verb ref value" from standard input.
func gitUpdateRef(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch {
	case o.Given("stdin") && c.In != nil:
		for _, line := range shell.SplitLines(*c.In) {
			f := strings.Fields(line)
			if len(f) > 1 && (f[0] == "delete" || protected.HoldsUndo(f[1])) {
				sh.Effect(effect.RewriteRefs, effect.RefDelete, branchOf(f[1]))
			}
		}
	case o.Has("d", "delete") || protected.HoldsUndo(o.At(0)):
		sh.Effect(effect.RewriteRefs, effect.RefDelete, branchOf(o.At(0)))
	case strings.HasPrefix(o.At(0), "refs/heads/"):
		sh.Effect(effect.RewriteRefs, effect.BranchForce, branchOf(o.At(0)))
	}
}

// gitPrograms runs the programs that git starts for a subcommand, such as a diff
// tool, a pager or the other end of a transport.
func gitPrograms(sh *shell.Shell, verb string, args []string, o shell.Options) {
	for _, code := range o.All("extcmd", "upload-pack", "receive-pack") {
		sh.Run(code, nil)
	}
	switch verb {
	case "difftool":
		for _, code := range o.All("x") {
			sh.Run(code, nil)
		}
	case "grep":
		for _, a := range args {
			code, ok := strings.CutPrefix(a, "--open-files-in-pager=")
			if !ok && !strings.HasPrefix(a, "--") {
				code, ok = strings.CutPrefix(a, "-O")
			}
			if ok {
				sh.Run(code, nil)
			}
		}
	case "archive":
		for _, code := range o.All("exec") {
			sh.Run(code, nil)
		}
	case "clone":
		for _, setting := range o.All("c", "config") {
			gitSetting(sh, setting)
		}
		cloneInto(sh, o)
		rememberClone(sh, args)
	}
	for _, a := range args {
		if code, ok := strings.CutPrefix(a, "ext::"); ok { // a transport that is a command
			sh.Run(strings.ReplaceAll(code, "% ", `\ `), nil)
		}
	}
}

// cloneInto reports a clone into a directory from which Afar or the host loads files.
func cloneInto(sh *shell.Shell, o shell.Options) {
	if len(o.Pos) < 2 {
		return
	}
	p := sh.Path(o.Pos[len(o.Pos)-1])
	if _, ok := protected.HostFolder(p, sh.Eval.Site.Env); ok || sh.IsOwn(p) {
		sh.Effect(effect.WriteFile, "", p)
	}
}

// toplevel returns the top of the work tree, as far as it is known.
func toplevel(sh *shell.Shell) string {
	if p := sh.Eval.Site.Project; p != "" && fspath.Within(sh.Place.Cwd, p) {
		return p
	}
	return sh.Place.Cwd
}

// gitRemove reports tracked files that are deleted.
func gitRemove(sh *shell.Shell, _ shell.Command, o shell.Options) {
	var op effect.Op
	if o.Has("f", "force") {
		op = effect.GitForce
	}
	kind := effect.DeleteFile
	if o.Given("r") {
		kind = effect.DeleteTree
	}
	for _, p := range o.Pos {
		sh.Effect(kind, op, sh.Path(p))
	}
}
