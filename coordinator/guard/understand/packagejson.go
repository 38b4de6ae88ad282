package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// scriptPrograms run scripts that a file of the project names.
var scriptPrograms = []table{
	{programs: "run-s run-p npm-run-all npm-run-all2", do: runsNamed},
	{programs: "mage", options: "d w", do: mageTargets},
	{programs: "bazel bazelisk", options: "c config", rows: []row{{words: "run", also: bazelRuns}}},
	{programs: "act", options: "W workflows j job P platform e eventpath s secret env", do: workflowSteps},
	{programs: "cmake", options: "S B D G T A P build preset", do: cmakeCommands},
	{
		programs: "turbo lerna nx", options: "scope filter F projects p t target targets", do: runsEverywhere,
		rows: []row{{of: "lerna", words: "publish", does: publishes}},
	},
	{programs: "composer", options: "d working-dir", do: composerScripts},
	{programs: "lint-staged", options: "c config d cwd", do: func(sh *shell.Shell, _ shell.Command, _ shell.Options) {
		stagedFile.run(sh, []string{"*"}, nil)
	}},
	{programs: "poe", options: "C directory", leads: true, do: func(sh *shell.Shell, c shell.Command, o shell.Options) {
		runsProjectScript(sh, c.Name, o.Pos)
	}},
	{programs: "pre-commit prek", options: "c config hook-stage hook-type color", do: preCommit},
	{programs: "lefthook", do: lefthook},
	{
		programs: "foreman honcho overmind goreman hivemind",
		options:  "f procfile e env p port d root c m",
		rows:     []row{{words: "run *", runs: "$>run"}},
		do:       procfile,
	},
}

// runsNamed runs the scripts of the project that the operands name.
func runsNamed(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, name := range o.Pos {
		nodeFile.run(sh, []string{name}, nil)
	}
}

// runsEverywhere runs the scripts that the operands name, of the project and of its parts. Nx names
// the part before a colon.
func runsEverywhere(sh *shell.Shell, c shell.Command, o shell.Options) {
	if c.Name == "lerna" {
		runner(sh, c, o)
	}
	for _, name := range append(o.Pos, o.All("t", "target", "targets")...) {
		_, task, ok := strings.Cut(name, ":")
		if c.Name != "nx" || !ok {
			task = name
		}
		inEachPart(sh, func(part *shell.Shell) bool { return nodeFile.run(part, around(task), nil) })
	}
}

// inEachPart does something in the project and in each of its parts. It returns true if it did
// something anywhere.
func inEachPart(sh *shell.Shell, do func(part *shell.Shell) bool) bool {
	found := do(sh)
	for _, parent := range [...]string{"packages", "apps", "libs", "services"} {
		for _, name := range sh.Names(parent) {
			part := sh.Sub()
			part.Place.Cwd = sh.Path(parent + "/" + strings.TrimSuffix(name, "/"))
			if _, ok := part.FileText("package.json"); ok {
				found = do(part) || found
			}
		}
	}
	return found
}

// A scriptFile is a file of the project that names commands.
type scriptFile struct {
	names []string // of the file
	key   string   // of its commands
}

var (
	nodeFile     = scriptFile{[]string{"package.json"}, "scripts"}
	denoFile     = scriptFile{[]string{"deno.json", "deno.jsonc"}, "tasks"}
	stagedFile   = scriptFile{[]string{"package.json"}, "lint-staged"}
	composerFile = scriptFile{[]string{"composer.json"}, "scripts"}
)

// composerScripts runs the scripts of the project that a command of composer runs.
func composerScripts(sh *shell.Shell, c shell.Command, o shell.Options) {
	if dir, ok := o.Get("d", "working-dir"); ok {
		sh = sh.Sub()
		sh.Place.Cwd = sh.Path(dir)
	}
	verb := o.At(0)
	switch {
	case lex.OneOf(verb, "run run-script"):
		composerFile.run(sh, []string{o.At(1)}, handedOn(c.Args, o.At(1)))
	case verb == "exec":
		sh.Exec(handedOn(c.Args, verb), c.In)
	case o.Given("no-scripts"):
	case lex.OneOf(verb, "install update require remove dump-autoload"):
		name := verb + "-cmd"
		composerFile.run(sh, []string{"pre-" + name, "post-" + name, "post-autoload-dump"}, nil)
	default:
		composerFile.run(sh, []string{verb}, handedOn(c.Args, verb))
	}
}

// workspace returns the folder of a part of the project: a path, or the name of a package.
func workspace(sh *shell.Shell, name string) string {
	if scope, short, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") {
		name = short
	}
	for _, parent := range [...]string{"", "packages/", "apps/", "libs/"} {
		dir := sh.Path(parent + name)
		if _, ok := sh.FileText(dir + "/package.json"); ok {
			return dir
		}
	}
	return sh.Path(name)
}

// installing are the scripts that an installation of the project runs.
var installing = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// nodeScripts runs the scripts of the project that a command of npm, pnpm, yarn or bun
// runs. It returns false if there is no such script.
func nodeScripts(sh *shell.Shell, c shell.Command, o shell.Options) bool {
	child := sh.Sub()
	if dir, ok := o.Get("prefix", "C", "dir", "cwd"); ok {
		child.Place.Cwd = sh.Path(dir)
	}
	if name, ok := o.Get("w", "workspace", "filter", "F"); ok {
		child.Place.Cwd = workspace(child, name)
	}
	verb := o.At(0)
	if o.Given("r recursive workspaces ws") && verb != "" {
		name := o.At(len(o.Pos) - 1)
		return inEachPart(child, func(part *shell.Shell) bool { return nodeFile.run(part, around(name), nil) })
	}
	switch {
	case lex.OneOf(verb, "run run-script rum urn"):
		return len(o.Pos) > 1 && nodeFile.run(child, around(o.At(1)), handedOn(c.Args, o.At(1)))
	case lex.OneOf(verb, "t tst"):
		return nodeFile.run(child, around("test"), handedOn(c.Args, verb))
	case lex.OneOf(verb, "test start stop restart"):
		return nodeFile.run(child, around(verb), handedOn(c.Args, verb))
	case lex.OneOf(verb, "install i ci clean-install") && len(o.Pos) == 1, verb == "" && c.Name == "yarn":
		return !o.Given("ignore-scripts version help") && nodeFile.run(child, installing, nil)
	case c.Name != "npm" && !lex.OneOf(verb, nodeVerbs):
		return nodeFile.run(child, around(verb), handedOn(c.Args, verb))
	}
	return false
}

// around returns a script with those that run before and after it.
func around(name string) []string { return []string{"pre" + name, name, "post" + name} }

// handedOn returns the arguments after the name of a script.
func handedOn(args []string, name string) []string {
	rest := args[min(len(args), slices.Index(args, name)+1):]
	return slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return a == "--" })
}

// run runs the commands of these names. A name may end with a star. It returns false if the
// project has none of them.
func (f scriptFile) run(sh *shell.Shell, names, args []string) (found bool) {
	path, ok := nearest(sh, f.names...)
	if !ok {
		return false
	}
	runRecipeFile(sh, path, args, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		root, err := hostjson.Parse(text, hostjson.MaxDepth)
		if err != nil {
			return
		}
		for name, value := range root.Get(f.key).Members() {
			if !slices.ContainsFunc(names, func(n string) bool { return namesScript(n, name) }) {
				continue
			}
			found = true
			child.AtLine(lineOfKey(text, f.key, name))
			for _, code := range codesIn(value) {
				child.Sub().Run(withArguments(code, args), nil)
			}
		}
	})
	return found
}

// codesIn returns the commands in the value of a script: a text, a list of texts, or an object
// with one. In a list of composer, "@name" is another script.
func codesIn(value hostjson.Value) (codes []string) {
	switch value.Kind() {
	case hostjson.Array:
		for _, item := range value.Items() {
			code, other := strings.CutPrefix(item.Str(), "@")
			if other && !lex.BeginsWith(code, "php composer") {
				code = "composer run " + code
			}
			codes = append(codes, code)
		}
		return codes
	case hostjson.Object:
		return []string{value.Get("command").Str()}
	}
	return []string{value.Str()}
}

// namesScript reports whether a word names a script: itself, or "build:*" for each
// script that begins so.
func namesScript(word, name string) bool {
	before, _, pattern := strings.Cut(word, "*")
	return word == name || pattern && strings.HasPrefix(name, before)
}

// withArguments appends quoted arguments to a command.
func withArguments(code string, args []string) string {
	if len(args) == 0 {
		return code
	}
	return code + " " + shell.QuoteAll(args)
}

// lineOfKey returns the line of a name below a key.
func lineOfKey(text, key, name string) int {
	from := max(strings.Index(text, `"`+key+`"`), 0)
	at := strings.Index(text[from:], `"`+name+`"`)
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(text[:from+at], "\n")
}
