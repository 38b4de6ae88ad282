package understand

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// gitHooks are the hooks that a subcommand of git runs. With --no-verify git leaves
// out those that may refuse it.
var gitHooks = []struct{ verbs, refusing, others string }{
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
	if sh.Eval.Site.FileText == nil || sh.Place.Away != "" {
		return
	}
	for i := range gitHooks {
		h := &gitHooks[i]
		if !lex.OneOf(verb, h.verbs) {
			continue
		}
		names := h.others
		if !unverified(verb, args) {
			names += " " + h.refusing
		}
		runHooks(sh, strings.Fields(names), args)
	}
}

// unverified reports whether git leaves out the hooks that may refuse a subcommand.
func unverified(verb string, args []string) bool {
	o := shell.ParseOptions(args, "m F C c t author date message file template o push-option -no-verify")
	return o.Given("no-verify") || verb == "commit" && o.Given("n")
}

// runHooks runs the hooks with these names, in the top directory of the work tree.
func runHooks(sh *shell.Shell, names, args []string) {
	child := sh.Sub()
	top, hooks := hooksFolder(child)
	if hooks == "" {
		return
	}
	child.Place.Cwd = top
	for _, name := range names {
		child.Via = "git"
		if !child.ScriptFile(hooks+"/"+name, nil) { // a hook that this call wrote
			child.RunProgram(hooks+"/"+name, nil, nil)
		}
		if above, ok := strings.CutSuffix(hooks, "/_"); ok { // husky
			child.RunProgram(above+"/"+name, nil, nil)
		}
	}
}

// hooksFolder returns the top directory of the work tree, and the folder of its hooks:
// the one that a setting names, or the one in the repository.
func hooksFolder(sh *shell.Shell) (top, hooks string) {
	top, git := repositoryOf(sh)
	if dir, ok := sh.Assigned(hooksSetting); ok {
		return cmp.Or(top, sh.Place.Cwd), dir
	}
	if git == "" {
		return "", ""
	}
	for _, file := range []string{git + "/config", "~/.gitconfig", "~/.config/git/config"} {
		text, ok := sh.FileText(file)
		if dir := hooksPath(text); ok && dir != "" {
			sh.Place.Cwd = top
			return top, sh.Path(dir)
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
	case project == "" || !fspath.Within(sh.Path(dir), project):
		return false
	}
	sh.Assign(hooksSetting, shell.Value{sh.Path(dir)})
	return true
}

// repositoryOf returns the top directory of the work tree around the shell, and the
// folder of its repository, "" if there is none in the project.
func repositoryOf(sh *shell.Shell) (top, git string) {
	path, ok := nearest(sh, ".git/HEAD", ".git/config", ".git")
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

// hooksPath returns the value of core.hooksPath in the text of git's settings.
func hooksPath(text string) string {
	section, dir := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "hookspath") {
			dir = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return dir
}

// runYAML runs the commands in a file of YAML. code returns the command of a text, "" if it is none.
func runYAML(sh *shell.Shell, files string, code func(y yamlText) string) {
	path, ok := nearest(sh, strings.Fields(files)...)
	if !ok {
		return
	}
	runRecipeFile(sh, path, nil, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		for _, y := range readYAML(text) {
			child.AtLine(y.line)
			child.Sub().Run(code(y), nil)
		}
	})
}

// preCommit runs the commands of the hooks of pre-commit, or those of one hook.
func preCommit(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if !lex.OneOf(o.At(0), "run hook-impl") {
		return
	}
	hook := ""
	runYAML(sh, ".pre-commit-config.yaml .pre-commit-config.yml", func(y yamlText) string {
		switch k := y.keys; {
		case len(k) < 5, k[2] != "hooks":
		case k[4] == "id":
			hook = y.text
		case k[4] == "entry" && (o.At(1) == "" || o.At(1) == hook || o.At(0) == "hook-impl"):
			return y.text
		}
		return ""
	})
}

// lefthook runs the commands of a hook of lefthook.
func lefthook(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.At(0) != "run" {
		return
	}
	runYAML(sh, "lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml", func(y yamlText) string {
		if lex.First(y.keys) != o.At(1) || y.keys[len(y.keys)-1] != "run" {
			return ""
		}
		return y.text
	})
}

// procfile runs the commands of a Procfile, or one of them.
func procfile(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if !lex.OneOf(o.At(0), "start s run") {
		return
	}
	runYAML(sh, "Procfile.dev Procfile", func(y yamlText) string {
		if len(y.keys) != 1 || o.At(1) != "" && o.At(1) != y.keys[0] {
			return ""
		}
		return y.text
	})
}
