package guard

import (
	"strconv"
	"strings"
)

// gitProgram reads the global options, then the subcommand's row.
func gitProgram(sh *shell, c command) {
	o, rest := leading(gitWords(c.args), gitOptions)
	child := sh.sub()
	for _, dir := range o.all("C") {
		child.place.cwd = child.path(dir)
	}
	if dir, ok := o.get("work-tree"); ok {
		child.place.cwd = child.path(dir)
	}
	for _, setting := range append(o.all("c"), sh.gitEnvironment()...) {
		child.gitSetting(setting)
		key, text, _ := strings.Cut(setting, "=")
		key = strings.ToLower(key)
		child.assign("git "+key, value{strings.ToLower(text)})
		if key == "core.hookspath" && text != "" && text != "/dev/null" {
			child.effect(GitSettings, "", key)
		}
		if len(rest) > 0 && strings.HasPrefix(setting, "alias."+rest[0]+"=") && child.depth < maxDepth {
			child.exec(append([]string{"git"}, append(strings.Fields(setting[len(rest[0])+7:]), rest[1:]...)...), c.in)
			return
		}
	}
	if len(rest) == 0 || o.exact("help", "version") || containsString(rest, "--help") {
		return
	}
	verb := strings.ToLower(rest[0])
	args := rest[1:]
	if child.isOwn(child.place.cwd) && oneOf(verb, "checkout switch restore reset stash pull merge rebase apply am cherry-pick revert clean rm mv") && !containsAny(args, "list show") {
		child.effect(WriteFile, "", child.place.cwd)
	}
	switch verb {
	case "push":
		child.gitPush(args)
	case "reset":
		child.gitReset(args)
	case "checkout":
		child.gitCheckout(args)
	case "switch":
		child.gitSwitch(args)
	case "restore":
		child.gitRestore(args)
	case "clean":
		child.gitClean(args)
	case "stash":
		child.gitStash(args)
	case "branch":
		child.gitBranch(args)
	case "tag":
		child.gitTag(args)
	case "config":
		child.gitConfig(args)
	default:
		child.gitOther(verb, args, c)
	}
}

// gitOptions are the options before git's subcommand that take the next word.
const gitOptions = "C c git-dir work-tree namespace super-prefix config-env exec-path attr-source"

// gitWords cuts a setting off the option that it is attached to: -ckey=value.
func gitWords(args []string) []string {
	var out []string
	value := false // the word belongs to the option before it
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
			out, value = append(out, a), needsNext(a, gitOptions)
		}
	}
	return out
}

// maxGitSettings bounds the settings that git takes from its environment.
const maxGitSettings = 32

// gitEnvironment returns the settings that the command gives git in variables.
func (sh *shell) gitEnvironment() []string {
	var out []string
	for i := range maxGitSettings {
		key, ok := sh.assigned("GIT_CONFIG_KEY_" + strconv.Itoa(i))
		if !ok {
			break
		}
		text, _ := sh.assigned("GIT_CONFIG_VALUE_" + strconv.Itoa(i))
		out = append(out, key+"="+text)
	}
	packed, _ := sh.assigned("GIT_CONFIG_PARAMETERS")
	for i, part := range strings.Split(strings.ReplaceAll(packed, "'='", "="), "'") {
		if i%2 == 1 && i < 2*maxGitSettings {
			out = append(out, part)
		}
	}
	return out
}

// gitSetting handles -c key=value: some keys are commands.
func (sh *shell) gitSetting(setting string) {
	key, text, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	if code, ok := strings.CutPrefix(text, "!"); ok {
		sh.run(code, nil)
		return
	}
	if gitRuns(key) && text != "" && strings.ContainsAny(text, " ;|&$") {
		sh.run(text, nil)
	}
}

// gitSet is true if -c gives a setting one of these values.
func (sh *shell) gitSet(key, values string) bool {
	v, ok := sh.lookup("git " + key)
	return ok && oneOf(first(v), values)
}

// gitRuns is true of settings whose value git hands to a shell.
func gitRuns(key string) bool {
	return oneOf(key, "core.sshcommand core.fsmonitor core.pager core.editor diff.external sequence.editor core.askpass credential.helper gpg.program") ||
		strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "pager.") || strings.HasSuffix(key, ".textconv") || strings.HasPrefix(key, "mergetool.")
}

func (sh *shell) gitPush(args []string) {
	o := parseOptions(args, "o repo receive-pack exec push-option")
	if o.short('n') || o.has("dry-run") {
		return
	}
	force := o.short('f') || o.has("force")
	lease := o.exact("force-with-lease", "force-if-includes")
	refs := o.pos
	if len(refs) > 0 {
		refs = refs[1:]
	}
	if o.has("mirror") {
		sh.effect(PushForce, "mirror", "")
		return
	}
	if o.short('d') || o.exact("delete") {
		for _, r := range refs {
			sh.effect(PushDelete, refKind(r), branchOf(r))
		}
		return
	}
	if o.has("prune") {
		sh.effect(PushDelete, "prune", "")
	}
	sh.gitRefspecs(refs, force, lease, o)
}

func (sh *shell) gitRefspecs(refs []string, force, lease bool, o options) {
	for _, r := range refs {
		plus := strings.HasPrefix(r, "+")
		r = strings.TrimPrefix(r, "+")
		from, to, pair := strings.Cut(r, ":")
		if !pair {
			to = from
		}
		switch {
		case pair && from == "" && to != "":
			sh.effect(PushDelete, refKind(to), branchOf(to))
		case force || plus:
			sh.effect(PushForce, "force", branchOf(to))
		case lease:
			sh.effect(PushForce, "lease", branchOf(to))
		}
	}
	if len(refs) > 0 && !(force && o.exact("tags")) {
		return
	}
	switch {
	case o.has("all", "branches") && (force || lease):
		sh.effect(PushForce, "all", "")
	case force && o.exact("tags"):
		sh.effect(PushForce, "tags", "tags")
	case force:
		sh.effect(PushForce, "force", "")
	case lease:
		sh.effect(PushForce, "lease", "")
	}
}

// branchOf is the short name of a ref; HEAD and @ are the current branch.
func branchOf(ref string) string {
	ref = strings.TrimPrefix(ref, "refs/heads/")
	ref = strings.TrimPrefix(ref, "heads/")
	if ref == "HEAD" || ref == "@" {
		return ""
	}
	return ref
}

func refKind(ref string) string {
	if strings.HasPrefix(ref, "refs/tags/") || strings.HasPrefix(ref, "tags/") {
		return "tag"
	}
	return "branch"
}

func (sh *shell) gitReset(args []string) {
	o := parseOptions(args, "")
	hard := o.has("hard") || o.exact("ha") // git takes the shortest that is unique
	switch {
	case hard && o.at(0) != "" && o.at(0) != "HEAD" && o.at(0) != "@":
		sh.effect(Discard, "reset-hard-to", "")
	case hard:
		sh.effect(Discard, "reset-hard", "")
	case o.has("merge"):
		sh.effect(Discard, "reset-merge", "")
	}
}

func (sh *shell) gitCheckout(args []string) {
	before, after, dashes := cutDashes(args)
	o := parseOptions(before, "b B U orphan conflict unified inter-hunk-context pathspec-from-file")
	if o.short('f') || o.exact("force") {
		sh.effect(Discard, "checkout-force", "")
		return
	}
	if _, ok := o.get("pathspec-from-file"); ok {
		sh.effect(Discard, "restore-path", "")
		return
	}
	if o.has("patch") || o.short('p') {
		return
	}
	if o.has("ours", "theirs") {
		sh.gitTakesSide(append(o.pos, after...))
		return
	}
	if name, moved := o.get("B"); moved {
		sh.effect(RewriteRefs, "branch-reset", branchOf(name))
	}
	if dashes {
		sh.discards(after)
		return
	}
	if o.exact("b", "B", "orphan", "t", "track", "detach") {
		return
	}
	switch {
	case len(o.pos) > 1 && !o.exact("recurse-submodules", "conflict"), len(o.pos) > 2:
		sh.discards(o.pos[1:])
	case len(o.pos) == 2 && looksLikePath(o.pos[1]):
		sh.discards(o.pos[1:])
	case len(o.pos) == 1 && looksLikePath(o.pos[0]):
		sh.discards(o.pos)
	}
}

// gitTakesSide: of a file in conflict one side is taken. Of every other file
// below the pathspec the changes go, so that it is the whole tree that counts.
func (sh *shell) gitTakesSide(paths []string) {
	for _, p := range paths {
		if sh.wholeTree(p) {
			sh.effect(Discard, "restore-path", sh.path(p))
		}
	}
}

func cutDashes(args []string) (before, after []string, found bool) {
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:], true
		}
	}
	return args, nil, false
}

// looksLikePath tells a pathspec from a branch where git would look at the
// disk: dots, globs, a slash at the end, a short alphabetic extension.
func looksLikePath(s string) bool {
	if s == "." || s == ".." || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, ":") || hasGlob(s) || strings.HasSuffix(s, "/") {
		return true
	}
	i := strings.LastIndexByte(s, '.')
	if strings.HasSuffix(s, ".x") { // a branch of a version: 1.x
		return false
	}
	if i < 0 || len(s)-i > 6 || i+1 == len(s) {
		return false
	}
	for _, r := range s[i+1:] {
		if r > 0x7f || !isLetter(byte(r)) {
			return false
		}
	}
	return true
}

// discards reports pathspecs whose worktree content is replaced.
func (sh *shell) discards(paths []string) {
	for _, p := range paths {
		op := "restore-path"
		if sh.wholeTree(p) {
			op = "restore-all"
		}
		sh.effect(Discard, op, sh.path(p))
	}
}

// wholeTree is true of a pathspec that all files match.
func (sh *shell) wholeTree(p string) bool {
	return oneOf(p, ". ./ :/ :/* * ./* :(top) **") || hasHole(p) && strings.Trim(p, holes) == "" || sh.path(p) == sh.place.cwd || sh.path(p) == sh.toplevel()
}

func (sh *shell) gitSwitch(args []string) {
	before, _, _ := cutDashes(args)
	o := parseOptions(before, "c C create force-create conflict orphan")
	if o.short('f') || o.has("force", "discard-changes") && !o.exact("force-create") {
		sh.effect(Discard, "switch-force", "")
	}
	if name, moved := o.get("C", "force-create"); moved {
		sh.effect(RewriteRefs, "branch-reset", branchOf(name))
	}
}

func (sh *shell) gitRestore(args []string) {
	o := parseOptions(args, "s source conflict pathspec-from-file")
	staged := o.short('S') || o.has("staged")
	worktree := o.short('W') || o.has("worktree")
	if staged && !worktree || o.short('p') || o.has("patch") {
		return
	}
	if o.has("ours", "theirs") {
		sh.gitTakesSide(o.pos)
		return
	}
	if _, ok := o.get("pathspec-from-file"); ok {
		sh.effect(Discard, "restore-path", "")
	}
	sh.discards(o.pos)
}

func (sh *shell) gitClean(args []string) {
	o := parseOptions(args, "e exclude")
	if o.short('n') || o.has("dry-run") || o.short('i') || o.has("interactive") {
		return
	}
	if !o.short('f') && !o.has("force") && !sh.gitSet("clean.requireforce", "false 0 no off") {
		return
	}
	op := "clean"
	switch {
	case o.short('X'), o.short('x') && len(o.pos) > 0 && !containsString(o.pos, "."):
		op = "clean-ignored"
	case len(o.pos) > 0 && !containsString(o.pos, "."):
		op = "clean-path"
	case o.short('x'):
		op = "clean-all"
	}
	sh.effect(Discard, op, strings.Join(o.pos, " "))
}

func (sh *shell) gitStash(args []string) {
	if len(args) == 0 {
		return
	}
	sh.showsCommitted("stash", args, parseOptions(args, ""))
	switch args[0] {
	case "clear":
		sh.effect(Discard, "stash-clear", "")
	case "drop":
		sh.effect(Discard, "stash-drop", "")
	}
}

func (sh *shell) gitBranch(args []string) {
	o := parseOptions(args, "u set-upstream-to sort format contains")
	switch {
	case o.exact("r", "remotes"):
	case o.short('D'), (o.short('d') || o.has("delete")) && (o.short('f') || o.has("force")):
		for _, b := range o.pos {
			sh.effect(RewriteRefs, "branch-delete-force", b)
		}
	case o.short('d') || o.has("delete"):
		for _, b := range o.pos {
			sh.effect(RewriteRefs, "branch-delete", b)
		}
	case o.short('M'), o.short('f') || o.exact("force"):
		sh.effect(RewriteRefs, "branch-force", o.at(0))
	}
}

func (sh *shell) gitTag(args []string) {
	o := parseOptions(args, "m F u message file sort format")
	if o.short('d') || o.has("delete") {
		sh.effect(RewriteRefs, "tag-delete", strings.Join(o.pos, " "))
	}
}

func (sh *shell) gitConfig(args []string) {
	o := parseOptions(args, "f file blob type default comment value")
	pos := o.pos
	asked := o.exact("get", "get-all", "get-urlmatch", "get-regexp") || len(pos) == 1 && !o.exact("unset", "unset-all")
	if len(pos) > 0 && oneOf(pos[0], "set get list unset edit") {
		verb := pos[0]
		asked, pos = verb == "get", pos[1:]
		if verb != "set" && !asked {
			return
		}
	}
	if asked && len(pos) > 0 && gitSecret(pos[0]) {
		sh.showsKey("git setting", pos[0])
		return
	}
	if len(pos) < 2 || asked || o.exact("list", "unset", "unset-all") {
		return
	}
	key := strings.ToLower(pos[0])
	sh.gitSetting(pos[0] + "=" + pos[1])
	if key == "core.hookspath" || key == "core.sshcommand" || key == "core.fsmonitor" || strings.HasPrefix(key, "url.") ||
		strings.HasPrefix(pos[1], "!") || strings.HasPrefix(key, "filter.") && pos[1] != "" && !strings.HasPrefix(pos[1], "git-lfs ") || key == "init.templatedir" || key == "include.path" || key == "credential.helper" && strings.Contains(pos[1], "store") {
		sh.effect(GitSettings, "", key)
	}
}

// gitSecret is true of the settings that hold a credential.
func gitSecret(key string) bool {
	name := strings.ToLower(key[strings.LastIndexByte(key, '.')+1:])
	return strings.HasSuffix(name, "extraheader") || name == "smtppass" || secretName(name)
}

func (sh *shell) gitOther(verb string, args []string, c command) {
	o := parseOptions(args, "x exec m message extcmd upload-pack receive-pack c config S G author since until grep format pretty")
	sh.showsCommitted(verb, args, o)
	sh.gitPrograms(verb, args, o)
	switch verb {
	case "stage", "add", "commit", "log", "diff", "status":
	case "fetch":
		sh.gitFetched(o)
	case "merge", "cherry-pick", "revert", "am":
		sh.gitGivesUp(o)
	case "pull":
		if v, given := o.get("rebase"); o.short('r') || o.exact("rebase") && (!given || v != "false") {
			sh.effect(RewriteRefs, "rebase", "")
		}
		sh.gitFetched(o)
	case "rebase":
		sh.gitRebase(o)
	case "bisect":
		if len(args) > 1 && args[0] == "run" {
			sh.exec(args[1:], nil)
		}
	case "submodule":
		sh.gitSubmodule(args)
	case "filter-branch":
		sh.effect(RewriteRefs, "filter", "")
		for _, code := range parseOptions(args, "tree-filter index-filter msg-filter env-filter parent-filter commit-filter tag-name-filter").flags {
			if strings.HasSuffix(code.name, "-filter") {
				sh.run(code.value, nil)
			}
		}
	case "filter-repo":
		sh.effect(RewriteRefs, "filter", "")
	case "reflog":
		v, _ := o.get("expire", "expire-unreachable")
		if o.at(0) == "delete" || o.at(0) == "expire" && oneOf(v, "now all 0") && !o.short('n') {
			sh.effect(RewriteRefs, "reflog", "")
		}
	case "gc", "prune":
		if v, _ := o.get("prune"); v == "now" || v == "all" || verb == "prune" && !o.short('n') || sh.gitSet("gc.reflogexpire", "now all 0") || sh.gitSet("gc.pruneexpire", "now all") {
			sh.effect(RewriteRefs, "prune", "")
		}
	case "update-ref":
		sh.gitUpdateRef(o, c.in)
	case "symbolic-ref":
		if o.short('d') || o.has("delete") {
			sh.effect(RewriteRefs, "ref-delete", branchOf(o.at(0)))
		}
	default:
		sh.gitStore(verb, args, o)
	}
}

// gitFetched: a forced refspec moves a local branch to what the remote has,
// whatever was committed there. The remote-tracking refs are the remote's anyway.
func (sh *shell) gitFetched(o options) {
	force := o.short('f') || o.exact("force")
	if o.exact("dry-run") || len(o.pos) < 2 {
		return
	}
	for _, r := range o.pos[1:] {
		plus := strings.HasPrefix(r, "+")
		_, to, _ := strings.Cut(r, ":")
		if (force || plus) && to != "" && (!strings.HasPrefix(to, "refs/") || strings.HasPrefix(to, "refs/heads/")) {
			sh.effect(RewriteRefs, "branch-force", branchOf(to))
		}
	}
}

// gitRebase: the reflog has the old commits, and a snapshot has them by name.
func (sh *shell) gitRebase(o options) {
	for _, code := range o.all("x", "exec") {
		sh.run(code, nil)
	}
	if sh.gitGivesUp(o) || o.exact("continue", "quit", "edit-todo", "show-current-patch") {
		return
	}
	sh.effect(RewriteRefs, "rebase", "")
}

// gitGivesUp is true of the end of a merge, a rebase and the like that throws
// away what was resolved so far.
func (sh *shell) gitGivesUp(o options) bool {
	if !o.exact("abort", "skip") {
		return false
	}
	sh.effect(Discard, "give-up", "")
	return true
}

// gitUpdateRef reads "ref value" and, from its input, lines of "verb ref value".
func (sh *shell) gitUpdateRef(o options, in *string) {
	switch {
	case o.exact("stdin") && in != nil:
		for _, line := range splitLines(*in) {
			f := strings.Fields(line)
			if len(f) > 1 && (f[0] == "delete" || holdsUndo(f[1])) {
				sh.effect(RewriteRefs, "ref-delete", branchOf(f[1]))
			}
		}
	case o.short('d') || o.has("delete") || holdsUndo(o.at(0)):
		sh.effect(RewriteRefs, "ref-delete", branchOf(o.at(0)))
	case strings.HasPrefix(o.at(0), "refs/heads/"):
		sh.effect(RewriteRefs, "branch-force", branchOf(o.at(0)))
	}
}

// gitPrograms runs what git starts on behalf of a subcommand: a diff tool, a
// pager, the other end of a transport.
func (sh *shell) gitPrograms(verb string, args []string, o options) {
	for _, code := range o.all("extcmd", "upload-pack", "receive-pack") {
		sh.run(code, nil)
	}
	switch verb {
	case "difftool":
		for _, code := range o.all("x") {
			sh.run(code, nil)
		}
	case "grep":
		for _, a := range args {
			code, ok := strings.CutPrefix(a, "--open-files-in-pager=")
			if !ok && !strings.HasPrefix(a, "--") {
				code, ok = strings.CutPrefix(a, "-O")
			}
			if ok {
				sh.run(code, nil)
			}
		}
	case "archive":
		for _, code := range o.all("exec") {
			sh.run(code, nil)
		}
	case "clone":
		for _, setting := range o.all("c", "config") {
			sh.gitSetting(setting)
		}
		sh.cloneInto(o)
		sh.cloned(args)
	}
	for _, a := range args {
		if code, ok := strings.CutPrefix(a, "ext::"); ok { // a transport that is a command
			sh.run(strings.ReplaceAll(code, "% ", `\ `), nil)
		}
	}
}

// cloneInto reports a clone that puts files where Afar or the host loads them.
func (sh *shell) cloneInto(o options) {
	if len(o.pos) < 2 {
		return
	}
	p := sh.path(o.pos[len(o.pos)-1])
	if _, ok := hostFolder(p, sh.u.ctx.Env); ok || sh.isOwn(p) {
		sh.effect(WriteFile, "", p)
	}
}

// gitStore holds the subcommands that work on files, refs and objects.
func (sh *shell) gitStore(verb string, args []string, o options) {
	switch verb {
	case "ls-files":
		if len(o.pos) == 0 && len(args) == strings.Count(" "+strings.Join(args, " "), " -z") {
			sh.print("." + everyFile + "\n")
		}
	case "worktree":
		if o.at(0) == "remove" && (o.short('f') || o.has("force")) {
			sh.effect(Discard, "worktree", sh.path(o.at(1)))
		}
	case "rm":
		if !o.has("cached") && !o.short('n') {
			sh.gitRemove(o)
		}
	case "mv":
		for i, p := range o.pos {
			if i < len(o.pos)-1 {
				sh.effect(MoveAway, "", sh.path(p))
			} else {
				sh.write(p)
			}
		}
	case "checkout-index":
		if o.short('f') {
			sh.effect(Discard, "restore-all", "")
		}
	case "read-tree":
		if o.has("reset") || o.short('u') {
			sh.effect(Discard, "read-tree", "")
		}
	case "remote":
		if oneOf(o.at(0), "remove rm") {
			sh.effect(RewriteRefs, "remote-remove", o.at(1))
		}
	case "rev-parse":
		if o.exact("show-toplevel") {
			sh.print(sh.toplevel() + "\n")
		}
	case "lfs":
		if o.at(0) == "prune" || o.at(0) == "migrate" {
			sh.effect(RewriteRefs, "lfs-"+o.at(0), "")
		}
	case "send-email":
		sh.effect(SendOut, "patches", "")
	}
}

func (sh *shell) toplevel() string {
	if p := sh.u.ctx.Project; p != "" && within(sh.place.cwd, p) {
		return p
	}
	return sh.place.cwd
}

func (sh *shell) gitSubmodule(args []string) {
	o := parseOptions(args, "")
	switch o.at(0) {
	case "foreach":
		if _, code := leading(args[1:], ""); args[0] == "foreach" && len(code) > 0 {
			sh.run(strings.Join(code, " "), nil)
		}
	case "deinit":
		if o.short('f') || o.has("force") {
			sh.effect(Discard, "worktree", "")
		}
	}
}

func (sh *shell) gitRemove(o options) {
	for _, p := range o.pos {
		op := ""
		if o.short('f') || o.has("force") {
			op = "git-force"
		}
		kind := DeleteFile
		if o.short('r') {
			kind = DeleteTree
		}
		sh.effect(kind, op, sh.path(p))
	}
}
